import { until } from './webhooks.ts'

/** One that writes to a server, and keeps what was acknowledged. */
interface Writing {
  readonly acknowledged: { readonly size: number }
}

const acknowledgedBy = (writers: readonly Writing[]) =>
  writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)

/** Waits until the writers have kept more than this many further acknowledgements: then is the moment to kill. */
export async function whenAcknowledged(writers: readonly Writing[], count: number): Promise<void> {
  const enough = acknowledgedBy(writers) + count
  await until(() => acknowledgedBy(writers) > enough)
}
