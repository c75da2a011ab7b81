/**
 * Starts to measure; the result says how many milliseconds of processor time this process has spent since. Unlike
 * elapsed time, that does not grow with what else the machine does.
 */
export function measureProcessorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
