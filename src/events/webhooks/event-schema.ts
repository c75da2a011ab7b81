import { Type as t } from '@sinclair/typebox'
import { File } from '../../files/schema.ts'
import { id, members, nullable, strict, timestamp } from '../../http/schema/types.ts'
import { SURFACES } from '../../kernel/caller.ts'
import { EVENTS } from '../../log/message.ts'
import { RecordObject } from '../../records/rows/schema.ts'

/* The body of a delivery. */

export const subscribedStructure = (description: string) =>
  nullable(strict({ id: id(), name: t.String({ examples: ['Books'] }) }), description)

export const DeliveredNote = strict(
  {
    id: id(),
    title: t.String({ examples: ['Meeting with Ada'] }),
    content: t.Optional(t.String({ description: 'With `include_content`.', examples: ['Ask.'] })),
    tags: t.Array(t.String(), { examples: [['work']] }),
    alias: nullable(t.String()),
    aliases: t.Optional(t.Array(t.String(), { examples: [['countess']] })),
    properties: members({ examples: [{ due: '2026-11-21' }] }),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'DeliveredNote' },
)

const EventData = strict(
  {
    note: t.Optional(DeliveredNote),
    file: t.Optional(File),
    changed: t.Optional(t.Array(t.String(), { examples: [['title']] })),
    previous: t.Optional(members({ examples: [{ title: 'Ada' }] })),
    due_at: t.Optional(timestamp('The moment.')),
    late: t.Optional(
      t.Literal(true, {
        description: 'The moment was more than a minute ago, or the server was stopped at it.',
      }),
    ),
  },
  {
    $id: 'DeliveredData',
    description:
      'A note or a file as it is after the change, or was before a deletion, with what changed; or the moment of a row.',
    examples: [{ due_at: '2026-11-21T09:30:00.000Z' }],
  },
)

export const DeliveredEvent = strict(
  {
    id: id('The same at every attempt; receivers know repetitions by it.'),
    type: t.String({ enum: [...EVENTS], examples: ['record.updated'] }),
    occurred_at: timestamp(),
    workspace_id: id(),
    structure: subscribedStructure('null for notes and files.'),
    record: t.Optional(
      nullable(
        RecordObject,
        'The whole row after the change, for a deletion the row as it was; null for `webhook.test`. Absent for notes and files.',
      ),
    ),
    changed: t.Optional(
      t.Array(t.String(), {
        description: 'The keys of the fields that moved; empty unless the row was updated.',
        examples: [['pages']],
      }),
    ),
    previous: t.Optional(
      members({
        description: 'The earlier values of the changed fields; null where there was no value.',
        examples: [{ pages: 875 }],
      }),
    ),
    data: t.Optional(
      nullable(
        EventData,
        'The note or file, or when the moment of a row came; null for `webhook.test` of notes and files.',
      ),
    ),
    source: strict({
      surface: t.String({ enum: [...SURFACES, 'system'], examples: ['api'] }),
      key_id: nullable(id(), 'The API key that made the change, if one did.'),
    }),
    sequence: t.Optional(
      t.Integer({
        description: 'With `ordered`: grows with every event of the subscription.',
        examples: [12],
      }),
    ),
  },
  { $id: 'DeliveredEvent', description: 'The body of a delivery about one change.' },
)
