import type { AppContext } from '../../context.ts'
import { RequestLimit } from '../../http/authorizer.ts'
import { endpoints } from '../../http/endpoints.ts'
import { BytesBody, IgnoredQuery } from '../../http/schema/types.ts'
import { fail, notFound, Refusal } from '../../lib/refusal.ts'
import { Tally } from '../../log/objects/tally.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import { DeliveriesQuery } from '../webhooks/schema.ts'
import { readEvents, replayOne, replayUnmapped } from './events.ts'
import { readForwarded, redeliverForwarded } from './forward-deliveries.ts'
import * as operations from './operations.ts'
import { providerOf } from './providers.ts'
import { challengeIn } from './read-call.ts'
import { receive, replaysOf, tryEvent } from './receive.ts'
import * as schema from './schema.ts'
import { getSource } from './service.ts'
import { addCounts, findVerifier, optionsOf } from './store.ts'

const CALLS_PER_MINUTE = 6_000
const ACCEPTED = 202

/** Counts the calls with an invalid signature. */
export const rejectedCalls = (ctx: AppContext): Tally =>
  new Tally(ctx, 'rejected calls', (tx, source, rejected) => addCounts(tx, source, { rejected }))

export function sourceRoutes(ctx: AppContext, streams: Streams, rejected: Tally) {
  const shownTo = ({ url }: Request) => ({ origin: ctx.config.publicUrls[0] ?? new URL(url).origin })
  const allowlist = ctx.config.webhookAllowlist
  return endpoints('Sources', '/v1/sources', 'structures')
    .get(
      '',
      async ({ exchange, request }) => {
        await rejected.write()
        return exchange.call(operations.readSources, shownTo(request))
      },
      {
        access: 'read',
        secret: true,
        response: schema.SourcesResponse,
        operationId: 'listSources',
        summary: 'List sources by creation',
        description: 'A source gives an outside service a URL; what it posts is verified and becomes a row.',
      },
    )
    .post(
      '',
      ({ exchange, body, request }) =>
        exchange.create(operations.makeSource, { body, allowlist, ...shownTo(request) }),
      {
        access: 'write',
        secret: true,
        once: true,
        body: schema.CreateSourceBody,
        response: schema.SourceResponse,
        operationId: 'createSource',
        summary: 'Create a URL for an outside service',
        description:
          'Give the service `url`, and here the secret with which it signs. Without a map every event is kept as `unmapped` until there is one. A workspace holds up to 100 sources.',
      },
    )
    .get(
      '/:id',
      async ({ exchange, params, request }) => {
        await rejected.write()
        return exchange.call(operations.readSource, { ...params, ...shownTo(request) })
      },
      {
        access: 'read',
        secret: true,
        entity: true,
        response: schema.SourceResponse,
        operationId: 'getSource',
        summary: 'Read a source',
        description: '`counts` says how many calls had each outcome.',
      },
    )
    .patch(
      '/:id',
      ({ exchange, params, body, request }) =>
        exchange.call(operations.patchSource, { ...params, body, allowlist, ...shownTo(request) }),
      {
        access: 'write',
        secret: true,
        entity: true,
        body: schema.PatchSourceBody,
        response: schema.SourceResponse,
        operationId: 'updateSource',
        summary: 'Change a source',
        description:
          'Only what is sent changes; `map` and `when` are replaced whole. Its structure and provider stay.',
      },
    )
    .delete(
      '/:id',
      ({ exchange, params, request }) =>
        exchange.call(operations.deleteSource, { ...params, ...shownTo(request) }),
      {
        access: 'write',
        entity: true,
        response: schema.DeletedSourceResponse,
        operationId: 'deleteSource',
        summary: 'Delete a source and its events',
        description: 'Its URL returns 404; the rows stay.',
      },
    )
    .post(
      '/:id/rotate',
      ({ exchange, params, request }) =>
        exchange.call(operations.rotateSource, { ...params, ...shownTo(request) }),
      {
        access: 'write',
        secret: true,
        response: schema.SourceResponse,
        operationId: 'rotateSource',
        summary: 'Give a source a new URL',
        description: 'The old one returns 404 immediately.',
      },
    )
    .get(
      '/:id/deliveries',
      ({ exchange, params, query }) => exchange.call(readForwarded, { ...params, ...query }),
      {
        access: 'read',
        secret: true,
        query: DeliveriesQuery,
        response: schema.ForwardedResponse,
        operationId: 'listSourceDeliveries',
        summary: 'List the deliveries of events that are passed on, newest first',
        description: 'Stored for 30 days after the end of a delivery.',
      },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      ({ exchange, params }) => exchange.call(redeliverForwarded, params, ACCEPTED),
      {
        access: 'write',
        secret: true,
        response: { 202: schema.ForwardedDeliveryResponse },
        operationId: 'redeliverSourceEvent',
        summary: 'Pass an event on again now',
        description:
          'Byte for byte, with its original signature. Stripe, Slack and Standard Webhooks accept signatures for five minutes only. Refused once the call is no longer kept.',
      },
    )
    .post(
      '/:id/resume',
      ({ exchange, params, body, request }) =>
        exchange.call(operations.resumeSource, { ...params, body, ...shownTo(request) }),
      {
        access: 'write',
        secret: true,
        body: schema.ResumeBody,
        response: schema.SourceResponse,
        operationId: 'resumeSource',
        summary: 'End the pause of a target',
        description: 'Ten failed deliveries in a row pause a target. Its pending deliveries are sent.',
      },
    )
    .get(
      '/:id/events',
      ({ exchange, params, query }) => readEvents(ctx, streams, exchange, { ...params, ...query }),
      {
        access: 'read',
        secret: true,
        query: schema.EventsQuery,
        response: schema.EventsResponse,
        operationId: 'listSourceEvents',
        summary: 'The calls that were verified, newest first',
        description: 'With `after` the oldest first. Events are kept for 30 days.',
      },
    )
    .get(
      '/:id/events/:eventId',
      ({ exchange, params, query }) => exchange.call(operations.readEvent, { ...params, ...query }),
      {
        access: 'read',
        secret: true,
        query: schema.EventQuery,
        response: schema.EventResponse,
        operationId: 'getSourceEvent',
        summary: 'Read an event as it came',
        description: 'Bytes of the body that are not UTF-8 are shown as U+FFFD.',
      },
    )
    .post(
      '/:id/events/:eventId/replay',
      async ({ exchange, params }) => ({
        event: await replayOne(replaysOf(ctx, exchange), params.id, params.eventId),
      }),
      {
        access: 'write',
        response: schema.ReplayedEventResponse,
        operationId: 'replaySourceEvent',
        summary: 'Reprocess an event with the current map',
        description: 'An event that was written is refused.',
      },
    )
    .post(
      '/:id/replay',
      ({ exchange, params, body }) => {
        const replays = replaysOf(ctx, exchange)
        return replayUnmapped(replays, getSource(ctx.db, replays.caller, params.id, 'change'), body.since)
      },
      {
        access: 'write',
        body: schema.ReplayBody,
        response: schema.ReplayedResponse,
        operationId: 'replaySourceEvents',
        summary: 'Reprocess all unmapped events',
        description: 'Oldest first, with the current map.',
      },
    )
    .post('/:id/try', ({ exchange, params, body }) => tryEvent(ctx.db, exchange, params.id, body), {
      access: 'read',
      secret: true,
      body: schema.TryBody,
      response: schema.TriedResponse,
      operationId: 'trySource',
      summary: 'Preview the outcome of an event',
      description: 'Writes nothing. `map` and `when` replace those of the source for the trial.',
    })
}

/**
 * The endpoint that outside services call. The token in the path is a secret, so logs name the path of the endpoint
 * instead.
 */
export function incomingRoutes(ctx: AppContext, rejected: Tally) {
  const limit = new RequestLimit(ctx.clock, CALLS_PER_MINUTE, 'This source takes')
  return endpoints('Sources', '', 'nothing').post(
    '/in/:token',
    async ({ body, params: { token }, request }) => {
      const source = findVerifier(ctx.db, token) ?? fail(notFound('source'))
      const call = { headers: [...request.headers], body: await body.bytes(source.id) }
      const { provider, secret, secretVersion } = source
      const known = { secret: secret ?? '', options: optionsOf(source), nowMs: ctx.clock.now() }
      const isVerified = (secret !== null || provider === 'none') && providerOf(provider).verify(call, known)
      if (!isVerified) {
        rejected.add(source.pk)
        throw new Refusal('unauthorized', 'The signature does not match.')
      }
      limit.check(source.id)
      const challenge = challengeIn(provider, call)
      return challenge === undefined ? receive(ctx, { token, secretVersion, call }) : { challenge }
    },
    {
      open: true,
      query: IgnoredQuery,
      body: BytesBody,
      response: schema.ReceivedResponse,
      operationId: 'receive',
      summary: 'Receive an event of an outside service',
      description:
        'The URL of a source, without a key: the raw body is verified as the provider of the source signs it. 200 is sent once the row and the event are on the disk.',
    },
  )
}
