/**
 * Starts a measurement; the returned function gives the milliseconds of processor time that this process has used
 * since. Unlike elapsed time, processor time does not grow with the load of other processes.
 */
export function measureProcessorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
