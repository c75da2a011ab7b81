import { CA_FLAG, type Command, flag, JSON_FLAG, SECRET_FLAG, setting } from '../command.ts'
import { COPY_DEFAULTS } from '../mirror/defaults.ts'

const following = () => import('../mirror/follow.ts')
const inspection = () => import('../mirror/commands.ts')

const DB_FLAG = setting('--db <file>', `the database file of the copy (default ${COPY_DEFAULTS.db})`)

const mirror: Command = {
  name: 'mirror',
  summary: 'Keep and serve a copy of a remote workspace on this machine.',
  parameters: ['<url>'],
  flags: [
    DB_FLAG,
    setting('--port <number>', `the port to listen on, 0 for any free one (default ${COPY_DEFAULTS.port})`),
    flag('--once', 'copy, or bring the copy up to date, and end'),
    flag('--structures <names>', 'copy the rows of these structures only, with commas between them'),
    flag('--files <what>', 'all, or none to leave out the bytes of files (default all)', {
      choices: ['all', 'none'],
    }),
    flag(
      '--omit-fields <fields>',
      "fields that never reach this machine's disk, such as Customers.email,Customers.phone",
    ),
    flag('--writable', 'let notes and records be changed in the copy, until they are pushed or reset'),
    flag('--forward <url>', 'post each change of a record to this URL, as a webhook delivery'),
    SECRET_FLAG,
    CA_FLAG,
  ],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote; scope read is enough, and nothing is written there. The first start makes the',
    'copy and prints a key for it, read-only without --writable. Then the remote is followed: what is committed there is in the copy within a',
    'second, whole transactions at a time, also after a broken connection or a restart. The trash, deleted rows, revisions',
    'and deliveries are not copied; subscriptions arrive disabled and without secrets. With other --structures, --files or',
    '--omit-fields than before everything is copied anew. An event that is forwarded is posted until somebody answers.',
    'With --writable its keys may write: what is changed lies over the copy, which goes on following. "mirror diff" lists it,',
    '"mirror push" writes it to the remote, and "mirror reset" takes what the remote has.',
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
  summary: 'Show where a copy is: its remote, how far behind it is, and what it holds.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'Exits 1 when the copy cannot follow its remote, or has not followed it for a minute. Names what a newer remote has and this',
    'version does not know: it is left out, and copied when the mirror is upgraded.',
  ],
  examples: ['daybook mirror status', 'daybook mirror status --db mirror.db --json'],
  run: async (input, io) => (await inspection()).showStatus(input, io),
}

const mirrorVerify: Command = {
  name: 'mirror verify',
  summary: 'Compare every object of a copy with the remote.',
  flags: [JSON_FLAG, CA_FLAG, DB_FLAG],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote. Works beside a running mirror, which may be some seconds behind; objects that',
    'change meanwhile are left out. The bytes and the text of every file are read again. Exits 1 when anything differs.',
  ],
  examples: ['DAYBOOK_KEY=dbk_… daybook mirror verify', 'DAYBOOK_KEY=dbk_… daybook mirror verify --json'],
  run: async (input, io) => (await inspection()).verifyWithRemote(input, io),
}

const mirrorDiff: Command = {
  name: 'mirror diff',
  summary: 'List what was changed in a writable mirror and is not on the remote.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'Names the objects that the remote changed meanwhile: conflicts. "mirror reset <id>" takes the state of the remote, and',
    '"mirror push --keep-mine <id>" writes yours over it; until then neither side overwrites the other.',
  ],
  examples: ['daybook mirror diff', 'daybook mirror diff --json'],
  run: async (input, io) => (await inspection()).showDifferences(input, io),
}

const mirrorReset: Command = {
  name: 'mirror reset',
  summary: 'Give an object of a writable mirror, or all, the state that the remote has.',
  parameters: ['[<object>]'],
  flags: [DB_FLAG],
  remarks: [
    '<object> is the id of a note or a record, as "mirror diff" lists it. What was changed here is gone.',
  ],
  examples: ['daybook mirror reset', 'daybook mirror reset 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  run: async (input, io) => (await inspection()).resetChanges(input, io),
}

const mirrorPush: Command = {
  name: 'mirror push',
  summary: 'Write what was changed in a writable mirror to the remote, in one transaction.',
  flags: [
    flag('--dry-run', 'check everything with the remote, and write nothing'),
    flag('--keep-mine <id>', 'write this note or record over what the remote has; repeatable', {
      isRepeatable: true,
    }),
    CA_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'DAYBOOK_KEY holds a key of the remote with the scope write. With a conflict, or when the remote refuses a change, nothing',
    'is written and the object is named (exit 1). A push that broke off can be repeated: nothing is written twice. --keep-mine',
    'ends a conflict in favour of the copy; an object that the remote deleted is restored there first, also if the push is',
    'refused after that. "mirror reset <id>" ends it in favour of the remote.',
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
  summary: 'Make a copy an ordinary database, which can be written and no longer follows.',
  flags: [DB_FLAG],
  remarks: [
    'Its users and keys stay, and the keys may write from now on. Its subscriptions stay disabled and get new secrets.',
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
