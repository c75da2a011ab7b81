import { Actor, CURSOR, cursor, cursorField, difference, operation } from '../http/schema/changes.ts'
import { t } from '../http/schema/types.ts'
import { CreateBody, PatchBody, tagName } from '../notes/schema.ts'
import { MAX_TAGS } from '../notes/writing/tags.ts'
import { CHANGE_KINDS } from '../storage/schema/changes.ts'

export const MAX_CHANGES = 1_000

const kinds = (what: string) =>
  t.text({
    minLength: 1,
    description: `${what}, with commas between them: ${CHANGE_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    examples: ['note,tag'],
  })

const edited = () =>
  t.Optional(
    t.flag({
      description: 'Adds `edited_at` to the notes among the objects: their last edit by a caller.',
      examples: [true],
    }),
  )

export const SnapshotQuery = t.strict({ edited: edited() })

export const ChangesQuery = t.strict({
  ...t.optional({
    after: cursor(
      'The cursor of the last page, or of a change; `now` for the end. Without it, from the oldest change that is kept.',
      'now',
    ),
    before: t.text({
      minLength: 1,
      maxLength: 64,
      description:
        'Newest first: the changes before this cursor, that of the last page or of a change; `now` for the newest. Not together with `after` and `wait`, and not as a stream.',
    }),
    limit: t.integer({ minimum: 1, maximum: MAX_CHANGES, description: '100 unless given.', examples: [100] }),
    kinds: kinds('Only changes of these kinds'),
    structure: t.text({
      minLength: 1,
      description:
        'Only changes of the records and webhooks of this structure, and of itself: its name or its id.',
    }),
    include: t.choice(['objects'], {
      description: 'Adds `object` to each change: the state of the object now.',
    }),
  }),
  edited: edited(),
  wait: t.Optional(
    t.integer({
      minimum: 0,
      maximum: 60,
      description: 'For how many seconds an empty page waits for a change.',
      examples: [0],
    }),
  ),
})

const OBJECT_ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

export const Change = t.strict(
  {
    cursor: cursorField(),
    transaction: t.String({ description: 'The same for all changes of one write.', examples: [CURSOR] }),
    at: t.timestamp(),
    kind: t.choice(CHANGE_KINDS, { examples: ['record'] }),
    op: operation(),
    id: t.Union([t.String(), t.integer()], { examples: [OBJECT_ID] }),
    structure_id: t.nullable(
      t.String(),
      'Of records and their comments, webhooks, views of rows and structures.',
    ),
    ...difference,
    actor: Actor,
    object: t.Optional(
      t.Union([t.Record(t.String(), t.Unknown()), t.Null()], {
        description:
          'With `include=objects`: the object as it is read alone, now; null when it is gone, trashed or deleted.',
      }),
    ),
  },
  { $id: 'Change' },
)

export const ChangesResponse = t.response({
  changes: t.Array(Change),
  cursor: t.String({
    description: 'Where to go on, also past changes that a filter left out.',
    examples: [CURSOR],
  }),
  has_more: t.Boolean({ examples: [false] }),
})

export const FEED_DESCRIPTION = `Every write leaves what it changed in this log, in its own transaction. Changes come in the order of commit, and none ever appears before a cursor that was handed out. A transaction of at most \`limit\` changes is never split over two pages. To follow the log, go on from \`cursor\` each time, with \`wait=60\`. To read what happened last, begin with \`before=now\`, and go on with \`before\` and the \`cursor\` of each page.

With \`Accept: text/event-stream\` the changes come as a stream of Server-Sent Events without end: \`event: change\`, \`id:\` the cursor, \`data:\` the change. A client that comes back with \`Last-Event-ID\` misses none. The comment \`: alive\` comes every 25 seconds; \`closed\` carries \`{error, code}\` and ends the stream. A client that cannot set headers gives the key as \`access_token\`.

A cursor that is older than the changes that are kept, or that was handed out after the state of the database that was restored since, is refused with 410 \`cursor_expired\`: begin again with \`GET /v1/changes/snapshot\`.`

const MAX_TRANSACTIONS = 200

export const TransactionsQuery = t.strict(
  t.optional({
    before: cursor(
      'The `cursor` of the last page, or of a transaction: those that were complete before it. Without it, or with `now`, from the newest one.',
    ),
    limit: t.integer({
      minimum: 1,
      maximum: MAX_TRANSACTIONS,
      description: '50 unless given.',
      examples: [50],
    }),
    kinds: kinds('Only transactions that changed something of these kinds'),
    structure: t.text({
      minLength: 1,
      description:
        'Only transactions that changed records, webhooks or views of this structure, or itself: its name or its id.',
    }),
    actor: t.text({
      minLength: 1,
      maxLength: 64,
      description:
        'Only changes of the key or user with this id. The id of a user includes its keys; an unknown id returns an empty list.',
    }),
  }),
)

const changed = {
  kind: t.choice(CHANGE_KINDS, { examples: ['record'] }),
  op: operation(),
  structure_id: t.nullable(t.String(), 'Of records, webhooks, views of rows and structures.'),
}

const Transaction = t.strict(
  {
    transaction: t.String({ description: 'The value that `undo` takes.', examples: [CURSOR] }),
    cursor: t.String({ description: 'The cursor of its last change.', examples: [CURSOR] }),
    at: t.timestamp(),
    actor: Actor,
    counts: t.Array(
      t.strict({ ...changed, n: t.integer({ description: 'How many changes, exactly.', examples: [500] }) }),
      { description: 'Everything that it changed, also what a filter does not name.' },
    ),
    objects: t.Array(
      t.strict({
        ...changed,
        id: t.Union([t.String(), t.integer()], { examples: [OBJECT_ID] }),
        label: t.nullable(
          t.String({ examples: ['Tea with Ada'] }),
          'The current label: the title of a note, the label field of a record, the key of a property, the name of a file, else the name; null without one.',
        ),
      }),
      { description: 'The first five.' },
    ),
    undone_by: t.nullable(
      t.String({ examples: [CURSOR] }),
      'The transaction that took it back, unless that was taken back itself.',
    ),
  },
  { $id: 'Transaction' },
)

export const TransactionsResponse = t.response({
  transactions: t.Array(Transaction),
  cursor: t.String({
    description: 'Where to go on, as `before`; also past transactions that a filter left out.',
    examples: [CURSOR],
  }),
  has_more: t.Boolean({ examples: [false] }),
})

export const TRANSACTIONS_DESCRIPTION = `A transaction is one write, such as a batch of records: it is listed once, with how much of what it changed, however large it is. A page may be empty although \`has_more\` is true, where a filter left out very many changes.`

export const SNAPSHOT_DESCRIPTION = `One JSON object a line: first \`{"cursor": …}\`, then \`{"kind", "structure_id", "object"}\` for every live object, tags, properties and structures first, and last \`{"end": true, "counts": {…}}\`. A snapshot without its last line is not complete. Applying the lines, and then every change after the cursor with \`include=objects\`, gives exactly the workspace.`

export const SnapshotLines = t.lineStreamText([
  `{"cursor":"${CURSOR}"}`,
  '{"kind":"tag","structure_id":null,"object":{"id":1,"name":"work","color":null,"is_pinned":false,"note_count":0,"linked_tags":[]}}',
  '{"end":true,"counts":{"tag":1}}',
])

export const UndoBody = t.strict({
  transaction: t.text({
    minLength: 1,
    maxLength: 64,
    description: 'The `transaction` of a change.',
    examples: [CURSOR],
  }),
  dry_run: t.Optional(t.flag({ description: 'Checks everything and writes nothing.' })),
})

export const UndoResponse = t.response({
  undone: t.Array(
    t.strict({
      kind: t.choice(['note', 'record', 'comment']),
      id: t.String({ examples: [OBJECT_ID] }),
      op: operation(),
    }),
    { description: 'The new changes.' },
  ),
  transaction: t.nullable(t.String({ examples: [CURSOR] }), 'The new one; null when nothing was written.'),
})

export const UNDO_DESCRIPTION = `Undoes every change of records, notes and comments of a transaction in one new transaction, under all rules and with its events. Items of Quick Access that went with a note come back; tags that the write made stay. A transaction with changes of other kinds, with a text whose revision is no longer kept, or with more than 20,000 changes is refused. When something was touched since, the call is refused with 409 \`stale\` and nothing is written; changes that were taken back themselves do not count, so that several transactions are taken back one after the other, the newest first.`

const MAX_APPLIED = 1_000

const { title, content, alias, aliases, cover_url, pinned, pin_label } = PatchBody.properties
const { properties } = CreateBody.properties
const parts = {
  content,
  alias,
  aliases,
  cover_url,
  pinned,
  pin_label,
  properties,
  tags: t.Optional(t.Array(tagName(), { maxItems: MAX_TAGS })),
}

export const NoteData = t.strict({ title, ...parts })
export const NewNoteData = t.strict({ title: CreateBody.properties.title, ...parts })

const kind = () => t.choice(['note', 'record'], { examples: ['record'] })
const op = () => t.choice(['created', 'updated', 'deleted'], { examples: ['updated'] })
export const ApplyBody = t.strict(
  {
    changes: t.Array(
      t.strict({
        kind: kind(),
        op: op(),
        id: t.text({
          minLength: 1,
          maxLength: 64,
          description: 'Of what is created a UUIDv7 of your own.',
          examples: [OBJECT_ID],
        }),
        ...t.optional({
          structure: t.text({
            minLength: 1,
            description: 'Of a record, a name or an id; required for one that is created.',
            examples: ['Errands'],
          }),
          if_unchanged: t.text({
            format: 'date-time',
            description: 'The `updated_at` that was read; the call is refused when the object changed since.',
            examples: ['2026-11-21T09:30:00.000Z'],
          }),
          data: t.members({
            description:
              'The values of a record, or `title`, `content`, `alias`, `cover_url`, `pinned`, `pin_label`, `tags` and `properties` of a note. An update changes only what it names; `tags` is then the whole list. Absent for what is deleted.',
            examples: [{ what: 'Buy milk' }],
          }),
        }),
      }),
      { minItems: 1, maxItems: MAX_APPLIED },
    ),
    dry_run: t.Optional(t.flag({ description: 'Checks everything and writes nothing.', examples: [false] })),
  },
  {
    examples: [
      {
        changes: [
          {
            kind: 'note',
            op: 'created',
            id: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f61',
            data: { title: 'Tea with Ada', tags: ['tea'] },
          },
        ],
      },
    ],
  },
)

export const ApplyResponse = t.response({
  transaction: t.nullable(t.String({ examples: [CURSOR] }), 'null when nothing was written.'),
  applied: t.Array(t.strict({ kind: kind(), id: t.id(), op: op() }), { description: 'In the order sent.' }),
})

export const APPLY_DESCRIPTION = `Creates, updates and deletes notes and records in one transaction, all of them or none, under all rules and with their events; a note that is deleted comes into the trash. The changes are made in their order, each object once; a value may refer to any row of the call. A refusal names its change and the object. When objects were changed after the \`if_unchanged\` of theirs, all of them are named (409 \`stale\`). An id that is taken is refused with 409 \`name_taken\`.`
