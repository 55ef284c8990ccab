/** Aborts a signal and says why the work was stopped from outside. */
export class Interrupted extends Error {
  readonly by: NodeJS.Signals | 'timeout';

  constructor(by: NodeJS.Signals | 'timeout') {
    super(by === 'timeout' ? 'The time limit of the step passed.' : `Stopped by ${by}.`);
    this.name = 'Interrupted';
    this.by = by;
  }
}
