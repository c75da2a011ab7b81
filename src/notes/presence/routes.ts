import type { AppContext } from '../../context.ts'
import { endpoints } from '../../http/endpoints.ts'
import { eventStream } from '../../http/sse.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import { openNote } from './operations.ts'
import { Presence } from './presence.ts'
import * as schema from './schema.ts'

export function presenceRoutes(ctx: AppContext, streams: Streams) {
  const presence = new Presence(ctx, streams)
  return endpoints('Notes', '/v1/notes', 'notes')
    .get(
      '/:id/presence',
      async ({ exchange, caller, params }) => {
        const { noteId, name } = await exchange.outputOf(openNote, params)
        return eventStream(ctx, exchange, presence.open(caller, noteId, name))
      },
      {
        access: 'stream',
        response: schema.PresenceStream,
        operationId: 'followPresence',
        summary: 'Follow the users who have a note open',
        description: schema.PRESENCE_DESCRIPTION,
      },
    )
    .post(
      '/:id/presence',
      async ({ exchange, caller, params, body }) => {
        const { noteId } = await exchange.outputOf(openNote, params)
        presence.report(caller, noteId, body)
        return { people: presence.peopleIn(caller, noteId) }
      },
      {
        access: 'read',
        body: schema.PresenceBody,
        response: schema.PresenceResponse,
        operationId: 'reportPresence',
        summary: 'Report that the user is writing in a note',
        description:
          'Shown to everyone who follows the presence of the note, for 6 seconds or until `writing: false`. Ignored while no stream of the user is open for the note, and from callers who cannot write notes. Stores nothing, and changes no note.',
      },
    )
}
