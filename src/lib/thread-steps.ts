import { Admission } from './admission.ts'

const turns = new Admission({ most: 1 })

/** Resolves in the next iteration of the event loop, after everything else that is due. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Steps of long work in this thread, round-robin between keys. Other work waits for at most one of them. */
export const stepsOfThread = {
  run: <Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> =>
    turns.run({ key }, () => nextTurn().then(work)),
}
