import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import { discardStage } from './staged-contents.ts'

export const discardPreparation: WorkerTask<undefined, void> = {
  name: 'notes.discardPreparation',
  isPreparation: true,
  run: discardStage,
}

/** Runs a task that replaces many bodies after its preparation has staged them, for which other writes do not wait. */
export async function runPrepared<Input, Output>(
  worker: WorkerClient,
  preparation: WorkerTask<Input, void>,
  task: WorkerTask<Input, Output>,
  input: () => Input,
): Promise<Output> {
  await worker.write(preparation, input())
  try {
    return await worker.write(task, input())
  } finally {
    await worker.write(discardPreparation, undefined)
  }
}
