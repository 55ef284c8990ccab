/** How far a program may reach: anywhere, or only its model through the worker. */
export type Network = 'full' | 'none';

export interface Limits {
  memoryBytes: number | undefined;
  processes: number | undefined;
  /** Cores, such as 1.5. */
  cpus: number | undefined;
  /** Largest file a process may write. */
  fileBytes: number | undefined;
}

/** A file or directory that is shown read-only, with all that is in it. */
export interface Shown {
  /** Where it lies on this machine. */
  path: string;
  /** Where it is seen; a driver without a view of its own shows it at its `path`. */
  at: string;
  /** Why it stands in the list, for the doctor. */
  why: string;
}

/** Where something lies, and where it is seen. */
export type SeenPlace = Pick<Shown, 'path' | 'at'>;

/** Directories that are seen where they lie. */
export const inPlace = (paths: readonly string[]): SeenPlace[] =>
  paths.map((path) => ({ path, at: path }));

/** A symbolic link that is made, such as `/bin` to `usr/bin`. */
export interface Link {
  at: string;
  to: string;
  why: string;
}

/** A unix socket of the worker's that is seen as a port on loopback. */
export interface Door {
  socket: string;
  port: number;
}

/** What of this machine is seen. What is not named does not exist inside. */
export interface View {
  readOnly: readonly Shown[];
  links: readonly Link[];
}

/**
 * What a program of a run may see and use. Every driver carries out this one value: by namespaces, by a
 * container, or (`direct`) not at all. It knows nothing of how.
 */
export interface Confinement extends View {
  /** What the file system is made of beside what is shown; undefined for what is shown alone. */
  image: string | undefined;
  command: readonly string[];
  /** A directory that is seen. */
  cwd: string;
  /** The whole environment: nothing of the worker's is added. */
  env: Readonly<Record<string, string>>;
  user: { uid: number; gid: number };
  /** Directories of the run that may be written; all that outlasts it. */
  writable: readonly SeenPlace[];
  network: Network;
  /** The ways out of a program without a network. */
  doors: readonly Door[];
  limits: Limits;
  /** Marks every process that comes of it: the last resort for finding them all. */
  processMarker: string;
}

/** Empty directories that every program has of its own, in memory, gone with it. */
export const SCRATCH: readonly string[] = ['/tmp', '/run'];

/** What sees and may use nothing, and has no limits. */
export const BARE: Omit<Confinement, 'command' | 'user' | 'processMarker'> = {
  readOnly: [],
  links: [],
  image: undefined,
  cwd: '/',
  env: {},
  writable: [],
  network: 'none',
  doors: [],
  limits: { memoryBytes: undefined, processes: undefined, cpus: undefined, fileBytes: undefined },
};

/** Port inside a sandbox without network at which the model is reached. */
export const MODEL_PORT = 8788;
/** The same for the proxy to the hosts that a run may reach. */
export const EGRESS_PORT = 8789;
