import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { VERSION } from '../../../src/lib/version.ts'
import { DEBIAN_VERSION, FOLDER, fileNames, type Target } from '../targets.ts'
import { isInstalled, run } from './run.ts'

/** The Debian release that the package is tested on. */
const SUITE = 'bookworm'

const UNIT = `[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/root/try.sh
ExecStopPost=/bin/systemctl --force poweroff
StandardOutput=file:/root/result
StandardError=inherit

[Install]
WantedBy=default.target
`

/** Returns the same package with a later version. */
function laterVersion(archive: string, folder: string): string {
  const unpacked = join(folder, 'later')
  const control = join(unpacked, 'DEBIAN', 'control')
  run(['dpkg-deb', '--raw-extract', archive, unpacked])
  writeFileSync(
    control,
    readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${DEBIAN_VERSION}+1`),
  )
  const later = join(folder, 'later.deb')
  run(['dpkg-deb', '--build', '--root-owner-group', '-Znone', unpacked, later])
  return later
}

/** Installs, upgrades, removes and purges the package in a minimal Debian that boots. */
function checkInDebian(archive: string): string {
  if (!isInstalled('debootstrap', 'systemd-nspawn') || process.getuid?.() !== 0)
    return 'not installed: that needs root, debootstrap and systemd-nspawn'
  const folder = mkdtempSync(join(tmpdir(), 'daybook-debian-'))
  const root = join(folder, 'root')
  try {
    run(['debootstrap', '--variant=minbase', '--include=systemd,systemd-sysv', SUITE, root])
    copyFileSync(archive, join(root, 'root/first.deb'))
    copyFileSync(laterVersion(archive, folder), join(root, 'root/second.deb'))
    copyFileSync('scripts/release/checks/debian/try.sh', join(root, 'root/try.sh'))
    chmodSync(join(root, 'root/try.sh'), 0o755)
    writeFileSync(join(root, 'etc/systemd/system/try.service'), UNIT)
    const wants = join(root, 'etc/systemd/system/multi-user.target.wants')
    mkdirSync(wants, { recursive: true })
    symlinkSync('/etc/systemd/system/try.service', join(wants, 'try.service'))
    run([
      'timeout',
      '300',
      'systemd-nspawn',
      '--directory',
      root,
      '--boot',
      '--private-network',
      '--register=no',
      '--keep-unit',
    ])
    const result = join(root, 'root/result')
    const printed = existsSync(result) ? readFileSync(result, 'utf8') : 'It was not tried.'
    if (!printed.endsWith('PASSED\n')) throw new Error(`The package fails in Debian:\n${printed}`)
    return `installed, served, upgraded, removed and purged in Debian ${SUITE}, with its data kept`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the package, and starts its program from the unpacked folder. */
function checkUnpacked(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-deb-'))
  try {
    run(['dpkg-deb', '--extract', archive, folder])
    const printed = run([join(folder, 'usr/bin/daybook'), 'version']).trim()
    const named = run(['dpkg-deb', '--field', archive, 'Version']).trim()
    if (printed !== VERSION || named !== DEBIAN_VERSION)
      throw new Error(`The package ${named} holds ${printed}.`)
    return 'unpacked and started'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** With `isThorough`, also tests in a new system, which takes minutes. */
export function checkDebianPackage(target: Target, isThorough: boolean): string {
  if (!isInstalled('dpkg-deb')) return 'not unpacked: there is no dpkg-deb here'
  const archive = resolve(FOLDER, fileNames(target).deb)
  const unpacked = checkUnpacked(archive)
  return isThorough ? `${unpacked}, ${checkInDebian(archive)}` : unpacked
}
