import { processIo } from './cli/io.ts'
import { runDaybook } from './cli/run.ts'

// Databases, copies and exports are private: no other user may read the files of this process.
process.umask(0o077)

// No top-level await: the executable is built with bytecode, which does not support it.
void runDaybook(process.argv.slice(2), processIo()).then((exitCode) => {
  process.exitCode = exitCode
})
