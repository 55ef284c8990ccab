/** What a program may reach: anything, or only its model through the worker. */
export type Network = 'full' | 'none';

export interface Limits {
  memoryBytes: number | undefined;
  processes: number | undefined;
  /** Processor cores, such as 1.5. */
  cpus: number | undefined;
  /** Largest file that a process may write. */
  fileBytes: number | undefined;
}

/** A file, or a directory with all its content, that is visible read-only. */
export interface Shown {
  /** Where it lies on this machine. */
  path: string;
  /** Where it is seen inside; drivers without a view of their own show it at `path`. */
  at: string;
  /** The reason for showing it, printed by `doctor`. */
  why: string;
}

/** Where something lies on this machine, and where it is seen inside. */
export type SeenPlace = Pick<Shown, 'path' | 'at'>;

/** Directories that are seen at their own paths. */
export const inPlace = (paths: readonly string[]): SeenPlace[] =>
  paths.map((path) => ({ path, at: path }));

/** A symbolic link to make, such as `/bin` to `usr/bin`. */
export interface Link {
  at: string;
  to: string;
  why: string;
}

/** A unix socket of the worker that appears inside as a port on loopback. */
export interface Door {
  socket: string;
  port: number;
}

/** What is visible of this machine. Nothing else exists inside. */
export interface View {
  readOnly: readonly Shown[];
  links: readonly Link[];
}

/**
 * What a program of a run may see and use. Every driver carries out this one description: with
 * namespaces, with a container, or (`direct`) hardly at all. It does not say how.
 */
export interface Confinement extends View {
  /** Image for the rest of the file system; if undefined, there is only what is shown. */
  image: string | undefined;
  command: readonly string[];
  /** Working directory, as seen inside. */
  cwd: string;
  /** The whole environment; nothing of the worker's is added. */
  env: Readonly<Record<string, string>>;
  user: { uid: number; gid: number };
  /** Directories of the run that the program may write. Nothing else that it writes is kept. */
  writable: readonly SeenPlace[];
  network: Network;
  /** The sockets through which a program without network can reach something. */
  doors: readonly Door[];
  limits: Limits;
  /** Carried by every process that the program starts: the last means to find them all. */
  processMarker: string;
}

/** Empty directories in memory that every program gets for itself, and that vanish with it. */
export const SCRATCH: readonly string[] = ['/tmp', '/run'];

/** A confinement that shows and allows nothing, and has no limits. */
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

/** Port on which a sandbox without network reaches the model. */
export const MODEL_PORT = 8788;
/** Port on which it reaches the proxy for the listed hosts. */
export const EGRESS_PORT = 8789;
