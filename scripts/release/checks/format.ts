import { PACKED } from '../../../src/http/web-app/names.ts'
import { MIGRATIONS } from '../../../src/storage/schema/migrations/migrations.ts'
import type { Target } from '../targets.ts'

const MIB = 2 ** 20
const SIZE = { least: 90 * MIB, most: 160 * MIB }

/**
 * The parts embedded in every executable: the workers, the application, and the first and last change of the schema.
 */
const EMBEDDED = [
  'src/worker',
  'src/files/extraction/worker',
  'src/storage/backup-sync-worker',
  'src/storage/checkpoint-worker',
  PACKED,
  MIGRATIONS[0]?.sql ?? '',
  MIGRATIONS.at(-1)?.sql ?? '',
].map((text) => text.split('\n')[0]?.slice(0, 40) ?? '')

const ELF = { magic: '7f454c46', machineAt: 18, machines: { x64: 62, arm64: 183 } }
const MACH_O = { magic: 'cffaedfe', cpus: { x64: 0x01000007, arm64: 0x0100000c }, headerBytes: 32 }
const CODE_SIGNATURE = 0x1d
const PE = { magic: '4d5a', headerAt: 60, signature: 'PE\0\0', machines: { x64: 0x8664, arm64: 0xaa64 } }

function isElf(bytes: Buffer, { cpu, libc }: Target): boolean {
  const loader = libc === 'musl' ? '/lib/ld-musl-' : '/ld-linux-'
  return (
    bytes.toString('hex', 0, 4) === ELF.magic &&
    bytes.readUInt16LE(ELF.machineAt) === ELF.machines[cpu] &&
    bytes.subarray(0, MIB).includes(loader)
  )
}

/** macOS kills an arm64 program without a signature. The signature from the build names no signer. */
function isMachO(bytes: Buffer, { cpu }: Target): boolean {
  if (bytes.toString('hex', 0, 4) !== MACH_O.magic || bytes.readUInt32LE(4) !== MACH_O.cpus[cpu]) return false
  const commands = bytes.readUInt32LE(16)
  let at = MACH_O.headerBytes
  for (let count = 0; count < commands; count++) {
    if (bytes.readUInt32LE(at) === CODE_SIGNATURE)
      return bytes.readUInt32LE(at + 8) + bytes.readUInt32LE(at + 12) <= bytes.length
    at += bytes.readUInt32LE(at + 4)
  }
  return false
}

function isPe(bytes: Buffer, { cpu }: Target): boolean {
  const header = bytes.readUInt32LE(PE.headerAt)
  return (
    bytes.toString('hex', 0, 2) === PE.magic &&
    bytes.toString('latin1', header, header + 4) === PE.signature &&
    bytes.readUInt16LE(header + 4) === PE.machines[cpu]
  )
}

const IS_FORMAT = { linux: isElf, darwin: isMachO, win32: isPe }

/** Throws unless the file is a program for the system, of a plausible size, with all parts of daybook embedded. */
export function checkFormat(target: Target, executable: Uint8Array): void {
  const bytes = Buffer.from(executable.buffer, executable.byteOffset, executable.byteLength)
  if (!IS_FORMAT[target.os](bytes, target)) throw new Error(`It is no program for ${target.name}.`)
  if (bytes.length < SIZE.least || bytes.length > SIZE.most)
    throw new Error(`It has ${bytes.length} bytes, which is unusual.`)
  const missing = EMBEDDED.filter((text) => !bytes.includes(text))
  if (missing.length > 0) throw new Error(`It does not embed ${missing.join(', ')}.`)
}
