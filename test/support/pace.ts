/** Takes one millisecond of processor time on the machine for which the limits of the tests are written. */
const WORK = Array.from({ length: 5_000 }, (_, at) => ({ at, text: `row ${at} of many`, tags: ['a', 'b'] }))
const ROUNDS = 51

function roundMs(): number {
  const start = process.cpuUsage()
  JSON.parse(JSON.stringify(WORK))
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/**
 * Returns how many times more processor time this machine needs at this moment than the one for which limits are
 * written, at least 1. A processor whose other half is busy, or whose host is, takes up to twice the time for the same
 * work, so limits of processor time are multiplied by this.
 */
export function pace(): number {
  const rounds = Array.from({ length: ROUNDS }, roundMs).toSorted((one, other) => one - other)
  return Math.max(1, rounds[(ROUNDS - 1) / 2] ?? 1)
}
