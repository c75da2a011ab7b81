import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import Stripe from 'stripe'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { focusedName } from '../support/page-acts.ts'
import { send } from '../support/page-requests.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import {
  chooseComparison,
  chooseConversion,
  clickEventKey,
  untilConditions,
  untilEventState,
  untilMapped,
  untilNoTargets,
  untilPassedOn,
  untilPreviewed,
  untilTargetRefused,
  updateWhenNewer,
} from '../support/screens/sources.ts'
import { untilAddress } from '../support/waits.ts'
import { until } from '../support/webhooks.ts'

const SECRET = 'whsec_5d41402abc4b2a76b9719d911017c592'
const stripe = new Stripe('sk_test_EXAMPLE')

describe.skipIf(!hasBrowser)('sources in a browser', () => {
  let app: Application
  let page: Page
  let url: string
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    await app.server.post('/v1/records/structures', {
      name: 'Payments',
      fields: [
        { key: 'number', type: 'text', label: 'Number', unique: true },
        { key: 'amount', type: 'number', label: 'Amount' },
        { key: 'paid_at', type: 'datetime', label: 'Paid at' },
      ],
    })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await receiver.close()
  }, BROWSER_TIMEOUT_MS)

  const receive = async (event: object) => {
    const payload = JSON.stringify(event)
    const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: SECRET })
    const response = await fetch(url, {
      method: 'POST',
      body: payload,
      headers: { 'stripe-signature': header },
    })
    expect(response.status).toBe(200)
  }
  const pay = (id: string, data: object) =>
    receive({ id, type: 'payment.paid', created: 1_795_426_871, data })
  const source = async () => (await app.server.get('/v1/sources')).body.sources[0]

  test(
    "a source for Stripe is created: its address is copied, then Stripe's secret is pasted",
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/in`)
      await press(page, 'New source')
      await fill(page, 'Name', 'Card payments')
      await press(page, 'Create source')
      await untilText(page, 'Paste the URL into Stripe')
      url = String(await contentOf(page, 'URL'))
      expect(url).toStartWith(`${app.server.url}/in/`)
      await fill(page, 'New signing secret (whsec_…)', SECRET)
      await press(page, 'Save secret')
      await untilAddress(page, ({ search }) => !search.includes('setup'))
      expect((await source()).name).toBe('Card payments')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an event is mapped by clicks and previewed, and pending events are written',
    async () => {
      await pay('evt_1', { number: 'A1', cents: 33_000 })
      await pay('evt_2', { number: 'A2', cents: 500 })
      await untilText(page, 'Retry 2 unmapped')
      await untilText(page, 'maps no field yet')
      await clickEventKey(page, 'number')
      await untilMapped(page, 'A2')
      await clickEventKey(page, 'cents')
      await chooseConversion(page, 'Amount', 'cents')
      await clickEventKey(page, 'created')
      await untilText(page, 'This event would create a row')
      await untilPreviewed(page, '2026-11-23T09:41:11.000Z')
      expect((await source()).map).toEqual({})
      await press(page, 'Save')
      await press(page, 'Retry 2 unmapped')
      await untilText(page, '2 saved, 0 unmapped')
      expect((await source()).map).toEqual({
        number: { path: '/data/number' },
        amount: { path: '/data/cents', as: 'cents' },
        paid_at: { path: '/created', as: 'epoch_s' },
      })
      const { body } = await app.server.get('/v1/records?structure=Payments&sort=number&direction=asc')
      expect(body.records.map(({ data }: { data: { amount: number } }) => data.amount)).toEqual([330, 5])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'only events that match the conditions become rows, and newer rows are not overwritten',
    async () => {
      await page.goto(`${app.server.url}/app/webhooks/in/${(await source()).id}`)
      await press(page, 'Add payment.paid')
      await press(page, 'Add condition')
      await fill(page, 'Path of condition 2', '/data/cents')
      await chooseComparison(page, 2, 'not_in')
      await fill(page, 'Value of condition 2', '500, "7"')
      await untilText(page, 'This event does not match the conditions')
      await updateWhenNewer(page, 'paid_at')
      await press(page, 'Save')
      await until(async () => (await source()).newer_by !== null)
      expect(await source()).toMatchObject({
        when: [
          { event: true, op: 'in', value: ['payment.paid'] },
          { path: '/data/cents', op: 'not_in', value: [500, '7'] },
        ],
        on_conflict: 'update',
        newer_by: 'paid_at',
      })
      await page.reload()
      expect(await contentOf(page, 'Value of condition 2')).toBe('500, "7"')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Remove condition 2')
      await press(page, 'Remove condition 1')
      await press(page, 'Save')
      await untilText(page, 'This event would update a row')
      await untilConditions(page, 0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'events that match are passed on to a URL, its deliveries are shown and redelivered, and it is removed',
    async () => {
      const target = `http://127.0.0.1:${receiver.port}/stripe`
      await fill(page, 'Pass on to (URL)', 'https://127.0.0.2/')
      await press(page, 'Add URL')
      await untilTargetRefused(page)
      await fill(page, 'Pass on to (URL)', target)
      await press(page, 'Add URL')
      await untilText(page, 'No events were passed on yet.')
      await pay('evt_3', { number: 'A3', cents: 100 })
      await untilPassedOn(page)
      const verified = await stripe.webhooks.constructEventAsync(
        receiver.received[0]?.body ?? '',
        receiver.received[0]?.headers['stripe-signature'] ?? '',
        SECRET,
      )
      expect(verified.id).toBe('evt_3')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Redeliver')
      await receiver.until(2)
      expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)

      await press(page, 'All events')
      await untilText(page, 'Every event is passed on')
      await press(page, 'Add target condition')
      await fill(page, 'Path of target condition 1', '/data/cents')
      await fill(page, 'Value of target condition 1', '900')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Save conditions')
      await untilText(page, '1 condition')
      expect((await source()).forward[0].when).toEqual([{ path: '/data/cents', op: 'eq', value: 900 }])
      await pay('evt_4', { number: 'A4', cents: 100 })

      await press(page, 'Remove…')
      await press(page, 'Cancel')
      await press(page, 'Remove…')
      await press(page, 'Remove URL')
      await untilNoTargets(page)
      expect((await source()).forward).toEqual([])
      expect(receiver.received).toHaveLength(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a source is created and mapped with the keyboard alone',
    async () => {
      /** Presses Tab until the focused control has a name or text with this beginning. */
      const tabTo = async (name: string) => {
        for (let step = 0; step < 120; step++) {
          const found = String(await focusedName(page))
          if (found.startsWith(name)) return
          await page.keyboard.press('Tab')
        }
        throw new Error(`Tab does not lead to ${name}`)
      }
      const before = (await app.server.get('/v1/sources')).body.sources
      await page.goto(`${app.server.url}/app/webhooks/in`)
      await untilText(page, 'New source')
      await tabTo('New source')
      await page.keyboard.press('Enter')
      await untilText(page, 'Create source')
      await tabTo('Service')
      await page.keyboard.press('End')
      await tabTo('Name')
      await page.keyboard.type(' by keys')
      await page.keyboard.press('Enter')
      await untilText(page, 'Paste the URL into')
      const known = before.map(({ id }: { id: string }) => id)
      const made = async () =>
        (await app.server.get('/v1/sources')).body.sources.find(
          ({ id }: { id: string }) => !known.includes(id),
        )
      const { name, provider, url: address } = await made()
      expect([name.endsWith('by keys'), provider]).toEqual([true, 'none'])
      await fetch(address, { method: 'POST', body: '{"nr": "K1", "sum": 12}' })
      await untilText(page, 'K1')
      await tabTo('nr')
      await page.keyboard.press('Enter')
      await untilMapped(page, 'K1')
      // Somebody else changes the source: the unsaved map and the focus stay.
      await app.server.patch(`/v1/sources/${(await made()).id}`, { name: 'Renamed elsewhere' })
      await untilText(page, 'Renamed elsewhere')
      expect(await focusedName(page)).toStartWith('nr')
      await tabTo('Save')
      await page.keyboard.press('Enter')
      await until(async () => (await made()).map.number !== undefined)
      expect((await made()).map).toEqual({ number: { path: '/nr' } })
      await tabTo('Retry 1 unmapped')
      await page.keyboard.press('Enter')
      await until(async () => (await made()).counts.written === 1)
      await app.server.delete(`/v1/sources/${(await made()).id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a workspace without tables gets one for Stripe, whose map is ready for its events',
    async () => {
      const { server } = app
      const { workspace } = (await send(page, 'POST', '/app/api/workspaces', { name: 'Shop' })).body
      const before = (await send(page, 'GET', '/app/api/session')).body.workspace.id
      await send(page, 'PATCH', '/app/api/session', { workspace_id: workspace.id })
      await page.goto(`${server.url}/app/webhooks/in/new`)
      await untilText(page, 'The table and its map are ready for Stripe payments.')
      expect(await accessibilityProblems(page)).toEqual([])
      await fill(page, 'Stripe signing secret (whsec_…), if you already have it', SECRET)
      await press(page, 'Create source')
      await untilText(page, 'Paste the URL into Stripe')
      url = String(await contentOf(page, 'URL'))
      const charge = {
        id: 'ch_1',
        amount: 4_850,
        currency: 'eur',
        status: 'succeeded',
        refunded: false,
        billing_details: { email: 'ada@example.com' },
        description: null,
        created: 1_795_426_871,
      }
      const call = (id: string, type: string, created: number, object: object) =>
        receive({ id, type, created, data: { object } })
      await call('evt_s2', 'charge.refunded', 1_795_426_900, { ...charge, refunded: true })
      // An earlier event that arrives later changes nothing, and one about another object writes nothing.
      await call('evt_s1', 'charge.succeeded', 1_795_426_871, charge)
      await call('evt_s3', 'payout.paid', 1_795_426_999, { id: 'po_1', amount: 1 })
      const counts = async () => (await send(page, 'GET', '/v1/sources')).body.sources[0].counts
      await until(async () => (await counts()).written === 1)
      expect(await counts()).toMatchObject({ written: 1, updated: 0, unmapped: 0, stale: 1, ignored: 1 })
      const { records } = (await send(page, 'GET', '/v1/records?structure=Payments')).body
      expect(records.map(({ data }: { data: object }) => data)).toEqual([
        {
          payment: 'ch_1',
          amount: 48.5,
          currency: 'eur',
          status: 'succeeded',
          refunded: true,
          email: 'ada@example.com',
          paid_at: '2026-11-23T09:41:11.000Z',
          event_at: '2026-11-23T09:41:40.000Z',
        },
      ])
      await page.goto(`${server.url}/app/webhooks/in/new`)
      await untilText(page, 'Create source')
      expect(await page.$eval('#structure', (select) => select.textContent)).toBe('Payments')
      await send(page, 'PATCH', '/app/api/session', { workspace_id: before })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an event that duplicates a row names it by its label',
    async () => {
      const { server } = app
      await server.post('/v1/records', { structure: 'Payments', data: { number: 'Double 1' } })
      const { source } = (
        await server.post('/v1/sources', {
          name: 'Twice',
          structure: 'Payments',
          provider: 'none',
          options: { unverified: true },
          map: { number: '/nr' },
        })
      ).body
      await fetch(source.url, { method: 'POST', body: '{"nr": "Double 1"}' })
      await page.goto(`${server.url}/app/webhooks/in/${source.id}`)
      await untilEventState(
        page,
        'Unmapped: The field "number" is unique, and the row Double 1 already has this value; change one of the two.',
      )
      await press(page, 'Double 1')
      await page.waitForSelector('#value-number')
      await server.delete(`/v1/sources/${source.id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the list and the form are usable without a mouse and by a screen reader',
    async () => {
      for (const path of ['webhooks/in', 'webhooks/in/new']) {
        await page.goto(`${app.server.url}/app/${path}`)
        await untilText(page, path.endsWith('new') ? 'Create source' : 'Card payments')
        expect([path, await accessibilityProblems(page)]).toEqual([path, []])
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
