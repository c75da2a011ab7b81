import type { Page } from 'puppeteer-core'
import { contentOf, fill, press, untilTextIn } from '../application-server.ts'
import { untilCountOf, untilValueStarts } from '../waits.ts'

/* The screens of a webhook: its form, its deliveries, and its state. */

/** The label of the field for the address that receives the events. */
export const ADDRESS = 'URL (public, https)'

/** Waits for the form. */
export const untilWebhookForm = (page: Page): Promise<unknown> => page.waitForSelector('[name=url]')

/** Adds the next condition of the form. */
export async function addCondition(
  page: Page,
  number: number,
  { field, comparison, value }: { field: string; comparison: string; value: string },
): Promise<void> {
  await press(page, 'Add condition')
  await page.select(`[aria-label="Field of condition ${number}"]`, field)
  await page.select(`[aria-label="Comparison of condition ${number}"]`, comparison)
  await fill(page, `Value of condition ${number}`, value)
}

/** Adds the next header of the form. */
export async function addHeader(page: Page, number: number, name: string, value: string): Promise<void> {
  await press(page, 'Add header')
  await fill(page, `Header ${number}, name`, name)
  await fill(page, `Header ${number}, value`, value)
}

/** Turns an event of the form on or off. */
export const toggleEvent = (page: Page, event: string): Promise<void> =>
  page.locator(`[name=events][value="${event}"]`).click()

/** Waits until a field of the form shows that its value was refused. */
export const untilRefused = (page: Page, field: 'url' | 'template'): Promise<unknown> =>
  page.waitForSelector(`[name=${field}][aria-invalid=true]`)

/** Waits for the secret of the webhook with this description, which is shown once, and returns it. */
export const webhookSecretOf = (page: Page, description: string): Promise<string> =>
  contentOf(page, `Secret of ${description}`)

/** Waits for the secret of any webhook. */
export const untilSecret = (page: Page): Promise<unknown> =>
  page.waitForSelector('input[aria-label^="Secret of"]')

/** Waits until the table shows this many deliveries in this state. */
export const untilDeliveries = (page: Page, state: string, count: number): Promise<unknown> =>
  untilCountOf(page, 'tbody .status', new RegExp(`^${state}$`), count)

/** Waits until this many deliveries show a matching response. */
export const untilResponses = (page: Page, response: RegExp, count: number): Promise<unknown> =>
  untilCountOf(page, 'td.answer', response, count)

/** Waits until the code that verifies a signature starts with this. */
export const untilCode = (page: Page, start: string): Promise<unknown> =>
  untilValueStarts(page, '.section .code-box', start)

/** Enters the instant since when failed deliveries are sent again. */
export const enterFailedSince = (page: Page, instant: string): Promise<void> =>
  page.$eval('[name=since]', (input, value) => input.setAttribute('value', value), instant)

/** Waits until the webhook is shown as enabled, disabled or paused. */
export const untilWebhook = (page: Page, state: 'enabled' | 'disabled' | 'paused'): Promise<unknown> =>
  page.waitForSelector(`.bar .status.${{ enabled: 'ok', disabled: 'off', paused: 'bad' }[state]}`)

/** Waits until the banner reports this about failures. */
export const untilFailures = (page: Page, report: string): Promise<unknown> =>
  untilTextIn(page, '.banner', report)

/** Waits until the list of pending events contains an event. */
export const untilPending = (page: Page, event: string): Promise<unknown> =>
  untilTextIn(page, 'table[aria-label="Pending events, oldest first"]', event)

/** Waits until no banner reports failures. */
export const untilNoFailures = (page: Page): Promise<unknown> =>
  page.waitForSelector('.banner', { hidden: true })
