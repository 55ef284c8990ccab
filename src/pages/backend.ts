import type { Log } from '../base/log.ts';
import type { Role } from '../contract/role.ts';

/** Who a browser session speaks for: one person in one team. */
export interface Session {
  id: string;
  role: Role;
  userUid: string;
  displayName: string;
  email?: string;
  teamUid: string;
  teamName: string;
  /** Where this person's own runs are, once there was one. */
  ownSpace: string | null;
  expiresAt: Date;
  /** When the key that it was made with is over; null where it never is. */
  keyEndsAt: Date | null;
}

/** Whoever has the link of a shared run. */
export interface Guest {
  sharedRun: string;
}

/** A team that the person of a session is in. */
export interface OwnTeam {
  id: string;
  name: string;
  role: Role;
}

/** A new session. Its secret token is shown here only; the browser keeps it as a cookie. */
export interface NewSession {
  token: string;
  expiresAt: Date;
}

/** Signing in with GitHub. */
export interface GithubWay {
  /** A new way to GitHub: what the browser keeps, and where it goes. */
  begin(): { state: string; verifier: string; url: string };
  /** Signs in who came back; or what to tell them. */
  finish(
    code: string,
    verifier: string,
    browser?: string,
  ): Promise<NewSession | { refusal: string }>;
}

/** A command line that waits for a key. */
export interface LoginItem {
  /** What it says of itself, such as `ada@laptop`. */
  client: string;
  createdAt: Date;
}

/** What the pages need from the service in the same process. The composition root wires it. */
export interface PagesBackend {
  /** The origin under which people reach the pages. With `https:` the cookies are Secure. */
  publicUrl: string;
  log: Log;
  /** Aborts when the service is about to end: tabs that wait are answered at once. */
  closing: AbortSignal;
  /** Absent where the operator has not set it up. */
  github?: GithubWay;
  sessions: {
    /** Signs in the owner of a personal key; null for any other key. */
    createFromKey(rawKey: string, browser?: string): Promise<NewSession | null>;
    /** Signs in by a one-time link; null when it is unknown, used or too old. */
    createFromLink(linkToken: string, browser?: string): Promise<NewSession | null>;
    /** The session of a token; null if it is unknown or over, or its person has left the team. */
    find(token: string): Promise<Session | null>;
    end(token: string): Promise<void>;
    /** The teams that its person may go to without signing in again. */
    teams(session: Session): Promise<OwnTeam[]>;
    /** The session that goes on in another of them; null where it may not. */
    switchTeam(token: string, teamUid: string): Promise<NewSession | null>;
  };
  logins: {
    /** The command line that shows this code and was not decided about; null when there is none. */
    find(code: string): Promise<LoginItem | null>;
    /** Gives it a key of this person, or none; false when there is none to decide about. */
    decide(session: Session, code: string, approve: boolean): Promise<boolean>;
  };
  /**
   * Whether runs may be shown to whoever has their link (`public_links`), and a guest of such a run;
   * null for any other.
   */
  publicLinks: boolean;
  guest(runId: string): Promise<Guest | null>;
  /**
   * Answers a contract endpoint as the session's person, or to a guest while the run is shared. The request's URL holds the whole path,
   * `/api/v1/…`; no Authorization header is needed or looked at.
   */
  api(request: Request, reader: Session | Guest): Promise<Response>;
}
