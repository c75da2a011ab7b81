import { processIo } from './cli/io.ts'
import { runDaybook } from './cli/run.ts'

// No await at the top level: the executable is built with bytecode, which does not allow it.
void runDaybook(process.argv.slice(2), processIo()).then((exitCode) => {
  process.exitCode = exitCode
})
