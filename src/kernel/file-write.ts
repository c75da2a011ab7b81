import type { WorkerOptions } from '../storage/worker/client.ts'
import { WorkerThread } from '../storage/worker/thread.ts'
import type { Credential, Server } from './call.ts'
import type { Sent } from './call-format.ts'
import type { WriteOperation } from './operation.ts'

/** Runs a write on a file that this process does not have open. */
export async function writeIntoFile<Input>(
  { clock, log, startThread }: Pick<Server, 'clock' | 'log'> & Pick<WorkerOptions, 'startThread'>,
  file: string,
  { name }: WriteOperation<Input, unknown>,
  { grant, isBackground = false }: Credential,
  input: Input,
): Promise<void> {
  const thread = new WorkerThread(clock, log, startThread)
  const sent: Sent = { grant, input, format: 'value', bodyText: '' }
  try {
    await thread.run({ file, kind: 'task', name, input: sent, isBackground, now: clock.now() })
  } finally {
    await thread.close()
  }
}
