#!/usr/bin/env node
// Starts the executable, which is in the package for this system.
const { spawn } = require('node:child_process')
const { version } = require('../package.json')

/** Without network interfaces, whose names would be looked up, the report takes a few milliseconds. */
function usesMusl() {
  if (process.platform !== 'linux' || !process.report) return false
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

const platform = process.platform === 'win32' ? 'windows' : process.platform
const system = `${platform}-${process.arch}${usesMusl() ? '-musl' : ''}`
const file = platform === 'windows' ? 'daybook.exe' : 'daybook'

function executable() {
  try {
    const path = require.resolve(`@daybook/${system}/${file}`)
    if (require(`@daybook/${system}/package.json`).version === version) return path
  } catch {
    // It is not installed.
  }
  process.stderr.write(
    `The executable is in daybook-${version}-npm-${system}.tgz of the same release, which is not installed. Install it together with daybook-${version}-npm.tgz; if the release has none for this system, build daybook from its sources.\n`,
  )
  process.exit(1)
}

const child = spawn(executable(), process.argv.slice(2), { stdio: 'inherit' })

// A terminal sends its signals to both processes; a second one would end daybook before its requests are finished.
const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
const pass = (signal) => child.kill(signal)
const ignore = () => {}
process.on('SIGTERM', pass)
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, hasTerminal ? ignore : pass)

child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
