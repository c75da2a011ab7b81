import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { program } from '../support/process.ts'
import { unpack, versionOf, WRITTEN } from '../upgrade/stages.ts'

/*
 * A service runs as its own user, and its owner works on its database as root. Only root can start processes of another
 * user, so these tests are skipped for other users.
 */

const isRoot = process.getuid?.() === 0
const NAME = 'nobody'
const USER = { uid: 65_534, gid: 65_534 }

describe.skipIf(!isRoot)('beside the database of another user (needs root)', () => {
  let home: string
  let folder: string
  let db: string

  // Other users cannot read the temporary folders of tests.
  beforeAll(() => {
    home = mkdtempSync('/var/tmp/daybook-test-')
    chmodSync(home, 0o755)
    copyFileSync(program()[0] ?? '', join(home, 'daybook'))
    chmodSync(join(home, 'daybook'), 0o755)
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const give = (path: string) => chownSync(path, USER.uid, USER.gid)

  beforeEach(async () => {
    folder = mkdtempSync(join(home, 'data-'))
    db = join(folder, 'daybook.db')
    give(folder)
    await serveOnce()
  })

  /** Starts one command as a user, by default the user of the service. */
  const start = (args: string[], uid = USER.uid) =>
    Bun.spawn(
      ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', join(home, 'daybook'), ...args],
      { cwd: home, env: {}, stdout: 'pipe', stderr: 'pipe' },
    )

  async function refusalOf(args: string[], uid?: number): Promise<string> {
    const child = start([...args, '--db', db], uid)
    const [err, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    expect([err, exitCode]).toEqual([err, 1])
    return err
  }

  /** Starts the service, which creates its database if there is none, and stops it. */
  async function serveOnce(): Promise<void> {
    const child = start(['serve', '--port', '0', '--db', db])
    const first = await child.stdout.getReader().read()
    child.kill('SIGTERM')
    if (first.done) throw new Error(`the server ended: ${await child.stderr.text()}`)
    expect(await child.exited).toBe(0)
  }

  /** Returns the names of files and folders below the folder that do not belong to the other user. */
  const foreign = () =>
    readdirSync(folder).filter((name) => {
      const { uid, gid } = lstatSync(join(folder, name))
      return uid !== USER.uid || gid !== USER.gid
    })

  const asRoot = async (...args: string[]) => {
    const { exitCode, err } = await runInProcess([...args, '--db', db])
    expect([args, exitCode, err]).toEqual([args, 0, expect.anything()])
  }

  test('a restore by root keeps owner, group and mode of the database, and the service starts again', async () => {
    chmodSync(db, 0o640)
    const backup = join(home, 'backup.db')
    await asRoot('backup', backup, '--overwrite')
    rmSync(`${db}.lock`, { force: true })
    await asRoot('restore', backup)
    expect(foreign()).toEqual([])
    expect(lstatSync(db).mode & 0o777).toBe(0o640)
    await serveOnce()
  })

  test('a restore by root into an empty folder takes the owner of the folder', async () => {
    const backup = join(home, 'backup.db')
    await asRoot('backup', backup, '--overwrite')
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    await asRoot('restore', backup)
    expect(foreign()).toEqual([])
    expect(lstatSync(db).mode & 0o777).toBe(0o600)
    await serveOnce()
  })

  test('a backup by root takes the owner of the file that it replaces, or of its folder', async () => {
    const backup = join(folder, 'backup.db')
    await asRoot('backup', backup)
    await asRoot('backup', backup, '--overwrite')
    const other = join(home, 'other.db')
    writeFileSync(other, '')
    give(other)
    await asRoot('backup', other, '--overwrite')
    expect(foreign()).toEqual([])
    expect(lstatSync(other).uid).toBe(USER.uid)
  })

  test('commands of root leave only files of the owner of the database', async () => {
    const notes = join(home, 'notes')
    mkdirSync(notes, { recursive: true })
    writeFileSync(join(notes, 'a.md'), '# A')
    for (const args of [
      ['check', '--repair'],
      ['users', 'link', 'owner'],
      ['import', notes],
      ['serve', '--port', '0', '--log-level', 'silent'],
    ]) {
      rmSync(`${db}.lock`, { force: true })
      await asRoot(...args)
      expect([args, foreign()]).toEqual([args, []])
    }
    await serveOnce()
  })

  test('an upgrade by root leaves a copy that the owner of the database can read', async () => {
    rmSync(db)
    const [oldest] = WRITTEN
    if (oldest) await unpack(db, oldest, versionOf(oldest))
    give(db)
    rmSync(`${db}.lock`, { force: true })
    await asRoot('users', 'list')
    expect(readdirSync(folder).filter((name) => name.includes('.before-'))).toHaveLength(1)
    expect(foreign()).toEqual([])
  })

  test('a server of root that is killed leaves only files of the owner of the database', async () => {
    const child = start(['serve', '--port', '0', '--db', db], 0)
    await child.stdout.getReader().read()
    child.kill('SIGKILL')
    await child.exited
    expect(readdirSync(folder)).toContain('daybook.db.lock')
    expect(foreign()).toEqual([])
    await serveOnce()
  })

  test('a file of root is named, with the command that gives it to the user of the service', async () => {
    for (const name of ['daybook.db', 'daybook.db.lock']) {
      const path = join(folder, name)
      writeFileSync(path, '', { flag: 'a', mode: 0o600 })
      chownSync(path, 0, 0)
      chmodSync(path, 0o600)
      expect(await refusalOf(['serve', '--port', '0'])).toContain(
        `${path} belongs to root, and daybook runs as ${NAME}. Run "chown ${NAME}: ${path}" as root`,
      )
      give(path)
    }
  })

  test('a database of a service is refused with the command that runs daybook as its user', async () => {
    expect(await refusalOf(['users', 'list'], 65_533)).toContain(`runuser -u ${NAME} -- daybook`)
  })
})
