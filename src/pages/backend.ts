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
  /** Id of the space with this person's own runs, once it exists. */
  ownSpace: string | null;
  expiresAt: Date;
  /** When the key that it was created with expires; null if never. */
  keyEndsAt: Date | null;
}

/** Somebody who is not signed in but has the link of a shared run. */
export interface Guest {
  sharedRun: string;
}

/** A team that the session's person belongs to. */
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
  /** Starts a sign-in: what the browser must keep, and the URL to send it to. */
  begin(): { state: string; verifier: string; url: string };
  /** Finishes a sign-in; returns the session, or what to say if it is refused. */
  finish(
    code: string,
    verifier: string,
    browser?: string,
  ): Promise<NewSession | { refusal: string }>;
}

/** A `runlink login` that waits for a key. */
export interface LoginItem {
  /** What it calls itself, such as `ada@laptop`. */
  client: string;
  createdAt: Date;
}

/** What the pages need from the service; connected in the process's entry file. */
export interface PagesBackend {
  /** The origin under which people reach the pages. With `https:` the cookies are Secure. */
  publicUrl: string;
  log: Log;
  /** Aborted when the service is about to stop, so that waiting tabs are answered at once. */
  closing: AbortSignal;
  /** Undefined if the operator has not set it up. */
  github?: GithubWay;
  sessions: {
    /** Signs in the owner of a personal key; null for any other key. */
    createFromKey(rawKey: string, browser?: string): Promise<NewSession | null>;
    /** Signs in by a one-time link; null if it is unknown, used or expired. */
    createFromLink(linkToken: string, browser?: string): Promise<NewSession | null>;
    /**
     * The session of a token; null if it is unknown or expired, or its person has left the team.
     */
    find(token: string): Promise<Session | null>;
    end(token: string): Promise<void>;
    /** The teams that the session's person can switch to without signing in again. */
    teams(session: Session): Promise<OwnTeam[]>;
    /** Creates a session for another of these teams; null if that is not allowed. */
    switchTeam(token: string, teamUid: string): Promise<NewSession | null>;
  };
  logins: {
    /** The undecided login with this code; null if there is none. */
    find(code: string): Promise<LoginItem | null>;
    /**
     * Approves the login with a key of this person, or denies it; false if there is none to decide.
     */
    decide(session: Session, code: string, approve: boolean): Promise<boolean>;
  };
  /**
   * Whether runs may be shared by their link (`public_links`). `guest` returns the guest of a
   * shared run, or null.
   */
  publicLinks: boolean;
  guest(runId: string): Promise<Guest | null>;
  /**
   * Calls a contract endpoint as the session's person, or for a guest while the run is shared. The
   * request's URL holds the whole path, `/api/v1/…`; an Authorization header is ignored.
   */
  api(request: Request, reader: Session | Guest): Promise<Response>;
}
