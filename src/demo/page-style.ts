/** The style sheet of the stand-in's pages. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; gap: 1rem; flex-wrap: wrap; padding: .6rem 1.2rem; border-bottom: 1px solid var(--line); }
header a { font-weight: 600; color: inherit; }
header span { opacity: .7; }
main { max-width: 60rem; margin: 1.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; } h1 small { opacity: .6; font-weight: 400; }
.state { display: inline-block; margin: 0 0 1rem; padding: .1rem .7rem; border: 1px solid var(--line); border-radius: 1rem; }
article { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .4rem; overflow: hidden; }
.who { margin: 0; padding: .4rem .9rem; background: var(--soft); } .who time { opacity: .6; }
.text { padding: .2rem .9rem; overflow-wrap: anywhere; }
.text table { border-collapse: collapse; } .text th, .text td { border: 1px solid var(--line); padding: .2rem .6rem; }
pre { overflow-x: auto; padding: .7rem; background: var(--soft); border-radius: .3rem; }
.say { display: grid; gap: .4rem; margin: 0 0 1.5rem; } .say button { justify-self: start; padding: .3rem 1rem; }
.say textarea { font: inherit; padding: .5rem; }
.button { display: inline-block; padding: .3rem 1rem; border: 1px solid; border-radius: .4rem; text-decoration: none; }
.place { margin: 0 0 .3rem; } .review { margin: 0 0 1.5rem; }
.diff span { display: block; white-space: pre; }
.diff .added { background: #2ea04333; } .diff .removed { background: #f8514933; }
.diff .place { color: #888; } .diff .file { font-weight: 600; }
`;
