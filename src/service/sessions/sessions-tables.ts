import type { Generated } from 'kysely';
import type { SignIn } from '../../contract/people.ts';

/** Signed-in browsers, and links that each sign in one browser. */
export interface SessionsTables {
  sessions: {
    token_hash: Buffer;
    user_id: string;
    team_id: string;
    /** The key that was pasted to sign in, if any; the session ends with it. */
    key_id: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
    id: Generated<string>;
    via: SignIn['via'] | null;
    browser: string | null;
    address: string | null;
    last_seen_at: Date | null;
  };
  sign_in_links: {
    token_hash: Buffer;
    user_id: string;
    team_id: string;
    expires_at: Date;
  };
  /** Command lines that wait for a person to approve them. */
  login_requests: {
    id: string;
    user_code: string;
    challenge: string;
    client: string;
    created_at: Generated<Date>;
    expires_at: Date;
    /** Null while nobody has decided. */
    approved: boolean | null;
    user_id: string | null;
    team_id: string | null;
    /** Expiry of the key with which the approving person was signed in. */
    key_expires_at: Date | null;
  };
}
