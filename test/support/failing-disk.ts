/*
 * Loaded before the server (`bun --preload`). After SIGUSR2 the kernel fails the calls that `FAILING_DISK` names with
 * its error, for example "EIO: read write sync". A system call filter does this, which needs no privileges and no other
 * program. It covers only positioned reads and writes, which only files use; connections, pipes and the log are
 * unaffected.
 */
import { dlopen, ptr } from 'bun:ffi'
import { constants } from 'node:os'

const CALLS = {
  x64: { seccomp: 317, read: [17], write: [18, 77], sync: [74, 75] },
  arm64: { seccomp: 277, read: [67], write: [68, 46], sync: [82, 83] },
}[process.arch as 'x64' | 'arm64']

const PR_SET_NO_NEW_PRIVS = 38n
const SECCOMP_SET_MODE_FILTER = 1n
/** Applies the filter to every thread. */
const SECCOMP_FILTER_FLAG_TSYNC = 1n
const LOAD_NUMBER_OF_CALL = [0x20, 0, 0, 0]
const IF_EQUAL = 0x15
const RETURN = 0x06
const ALLOW = 0x7fff0000
const FAIL_WITH = 0x00050000

/** Encodes eight bytes: the code (16 bits), the jumps if true and if false (8 each), the operand (32). */
const instruction = ([code = 0, ifTrue = 0, ifFalse = 0, operand = 0]: number[]): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand, 4)
  return bytes
}

function filterOf(calls: readonly number[], errno: number): Buffer {
  const tests = calls.map((call, at) => [IF_EQUAL, calls.length - at, 0, call])
  const lines = [LOAD_NUMBER_OF_CALL, ...tests, [RETURN, 0, 0, ALLOW], [RETURN, 0, 0, FAIL_WITH | errno]]
  return Buffer.concat(lines.map(instruction))
}

function failFromNowOn(): void {
  const [error = '', ...kinds] = (process.env.FAILING_DISK ?? '').split(/:? /)
  const calls = kinds.flatMap((kind) => CALLS[kind as 'read'])
  const filter = filterOf(calls, constants.errno[error as 'EIO'])
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length / 8, 0)
  program.writeBigUInt64LE(BigInt(ptr(filter)), 8)
  const arguments_ = ['u64', 'u64', 'u64', 'u64', 'u64', 'u64'] as const
  const { symbols } = dlopen('libc.so.6', {
    prctl: { args: ['u64', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    syscall: { args: arguments_, returns: 'i64' },
  })
  symbols.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n)
  const place = BigInt(ptr(program))
  const result = symbols.syscall(
    BigInt(CALLS.seccomp),
    SECCOMP_SET_MODE_FILTER,
    SECCOMP_FILTER_FLAG_TSYNC,
    place,
    0n,
    0n,
  )
  process.stderr.write(`the disk fails from now on: ${result}\n`)
}

process.on('SIGUSR2', failFromNowOn)
