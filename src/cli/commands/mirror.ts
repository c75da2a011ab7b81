import { CA_FLAG, type Command, flag, JSON_FLAG, SECRET_FLAG, setting } from '../command.ts'
import { COPY_DEFAULTS } from '../mirror/defaults.ts'

const following = () => import('../mirror/follow.ts')
const inspection = () => import('../mirror/commands.ts')

const DB_FLAG = setting('--db <file>', `the database file of the copy (default ${COPY_DEFAULTS.db})`)

const mirror: Command = {
  name: 'mirror',
  summary: 'Serve a local copy of a remote workspace and keep it up to date.',
  parameters: ['<url>'],
  flags: [
    DB_FLAG,
    setting('--port <number>', `the port to listen on, 0 for any free one (default ${COPY_DEFAULTS.port})`),
    flag('--once', 'create or update the copy, and exit'),
    flag('--structures <names>', 'copy only the rows of these structures, separated by commas'),
    flag('--files <what>', 'all, or none to omit the bytes of files (default all)', {
      choices: ['all', 'none'],
    }),
    flag(
      '--omit-fields <fields>',
      "fields that never reach this machine's disk, such as Customers.email,Customers.phone",
    ),
    flag('--writable', 'allow local changes of notes and records, to be pushed or reset later'),
    flag('--forward <url>', 'post each change of a record to this URL, as a webhook delivery'),
    SECRET_FLAG,
    CA_FLAG,
  ],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote; scope read is enough, and nothing is written there. The first start',
    'creates the copy and prints a key for it, read-only without --writable. The copy then follows the remote:',
    'commits arrive within a second, in whole transactions, also after a broken connection or a restart. The trash,',
    'deleted rows, revisions and deliveries are not copied; subscriptions arrive disabled and without secrets.',
    'Changing --structures, --files or --omit-fields copies everything again. A forwarded event is posted until the',
    'receiver responds.',
    '',
    'With --writable, keys of the copy can write. Local changes are layered over the copy, which keeps following.',
    '"mirror diff" lists them, "mirror push" writes them to the remote, and "mirror reset" discards them.',
  ],
  examples: [
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com',
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com --omit-fields Customers.email --once',
    'DAYBOOK_KEY=dbk_… daybook mirror https://daybook.example.com --forward http://localhost:3000/hook',
  ],
  run: async (input, io) => (await following()).follow(input, io),
}

const mirrorStatus: Command = {
  name: 'mirror status',
  summary: 'Show the state of a copy: its remote, its delay, and its content.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'Exits 1 when the copy cannot follow its remote, or has not followed it for a minute. Lists objects of a newer',
    'remote that this version does not know: they are omitted, and copied when the mirror is upgraded.',
  ],
  examples: ['daybook mirror status', 'daybook mirror status --db mirror.db --json'],
  run: async (input, io) => (await inspection()).showStatus(input, io),
}

const mirrorVerify: Command = {
  name: 'mirror verify',
  summary: 'Compare every object of a copy with the remote.',
  flags: [JSON_FLAG, CA_FLAG, DB_FLAG],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote. Works beside a running mirror, which may be some seconds behind; objects',
    'that change meanwhile are skipped. The bytes and the text of every file are read again. Exits 1 when anything',
    'differs.',
  ],
  examples: ['DAYBOOK_KEY=dbk_… daybook mirror verify', 'DAYBOOK_KEY=dbk_… daybook mirror verify --json'],
  run: async (input, io) => (await inspection()).verifyWithRemote(input, io),
}

const mirrorDiff: Command = {
  name: 'mirror diff',
  summary: 'List the local changes of a writable mirror.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'Marks conflicts: objects that the remote changed meanwhile. "mirror reset <id>" keeps the remote state, and',
    '"mirror push --keep-mine <id>" overwrites it with yours; until then neither side overwrites the other.',
  ],
  examples: ['daybook mirror diff', 'daybook mirror diff --json'],
  run: async (input, io) => (await inspection()).showDifferences(input, io),
}

const mirrorReset: Command = {
  name: 'mirror reset',
  summary: 'Discard the local changes of one object, or of all.',
  parameters: ['[<object>]'],
  flags: [DB_FLAG],
  remarks: [
    '<object> is the id of a note or a record, as listed by "mirror diff". Its local changes are discarded.',
  ],
  examples: ['daybook mirror reset', 'daybook mirror reset 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: async (input, io) => (await inspection()).resetChanges(input, io),
}

const mirrorPush: Command = {
  name: 'mirror push',
  summary: 'Write the local changes of a writable mirror to the remote, in one transaction.',
  flags: [
    flag('--dry-run', 'check everything with the remote, and write nothing'),
    flag('--keep-mine <id>', 'overwrite the remote state of this note or record', {
      isRepeatable: true,
    }),
    CA_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote with the scope write. With a conflict, or when the remote refuses a',
    'change, nothing is written and the object is named (exit 1). An interrupted push can be repeated: nothing is',
    'written twice. --keep-mine resolves a conflict in favour of the copy; an object that the remote deleted is',
    'restored there first, even if the push is then refused. "mirror reset <id>" resolves it in favour of the remote.',
  ],
  examples: [
    'DAYBOOK_KEY=dbk_… daybook mirror push',
    'DAYBOOK_KEY=dbk_… daybook mirror push --dry-run',
    'DAYBOOK_KEY=dbk_… daybook mirror push --keep-mine 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60',
  ],
  run: async (input, io) => (await inspection()).pushChanges(input, io),
}

const mirrorDetach: Command = {
  name: 'mirror detach',
  summary: 'Turn a copy into an ordinary database, which is writable and no longer follows.',
  flags: [DB_FLAG],
  remarks: [
    'Its users and keys stay, and the keys can now write. Its subscriptions stay disabled and get new secrets.',
  ],
  examples: ['daybook mirror detach --db mirror.db'],
  run: async (input, io) => (await inspection()).detachCopy(input, io),
}

export const mirrorCommands: readonly Command[] = [
  mirror,
  mirrorStatus,
  mirrorVerify,
  mirrorDiff,
  mirrorReset,
  mirrorPush,
  mirrorDetach,
]
