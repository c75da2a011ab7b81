import { processIo } from './cli/io.ts'
import { runDaybook } from './cli/run.ts'

// Databases, their copies and exports hold what is private: no other user may read what this process writes.
process.umask(0o077)

// No await at the top level: the executable is built with bytecode, which does not allow it.
void runDaybook(process.argv.slice(2), processIo()).then((exitCode) => {
  process.exitCode = exitCode
})
