import type { Page } from 'puppeteer-core'
import { contentOf, press } from '../application-server.ts'
import { untilGone, untilOneIs } from '../waits.ts'

/* Shared links: how they are created and listed, and the forms that their visitors see. */

/** Creates the link and returns it. */
export async function createShareLink(page: Page): Promise<string> {
  await press(page, 'Create link')
  return contentOf(page, 'Link')
}

/** Waits until the dialog shows a created link. */
export const untilShareLink = (page: Page): Promise<unknown> =>
  page.waitForSelector('dialog.modal input[aria-label=Link]')

/** Waits until the dialog lists no link. */
export const untilNoLinks = (page: Page): Promise<unknown> => untilGone(page, 'dialog table')

/** Waits until the settings list a link to an object with this name. */
export const untilShareListed = (page: Page, name: string): Promise<unknown> =>
  untilOneIs(page, '[aria-label="Shared links"] a', name)

/** Chooses in the settings what is shared, by the name of the choice. */
export async function chooseShareTarget(page: Page, name: string): Promise<void> {
  await page.waitForSelector('#share-target')
  const value = await page.$eval(
    '#share-target',
    (select, wanted) =>
      [...(select as HTMLSelectElement).options].find(({ text }) => text === wanted)?.value ?? '',
    name,
  )
  await page.select('#share-target', value)
}

/** Adds or leaves out a question of a form. */
export const toggleQuestion = (page: Page, field: string): Promise<void> =>
  page.locator(`input[name=field][value=${field}]`).click()

/** Writes the question and the help of a field, and moves it up. */
export async function askFirst(
  page: Page,
  label: string,
  { question, help }: { question: string; help: string },
): Promise<void> {
  await page.type(`dialog [aria-label="Question for ${label}"]`, question)
  await page.type(`dialog [aria-label="Help for ${label}"]`, help)
  await page.click(`dialog [aria-label="Move ${label} up"]`)
}

/** Sends a shared form as a browser that checks nothing itself. */
export async function submitShared(visitor: Page): Promise<void> {
  await visitor.$eval('form', (form) => form.setAttribute('novalidate', ''))
  await Promise.all([visitor.waitForNavigation(), visitor.click('form button')])
}

/** Waits until a shared form asks for a field. */
export const untilAnswerAsked = (visitor: Page, field: string): Promise<unknown> =>
  visitor.waitForSelector(`#f-${field}`)

/** Types the answer to a question of a shared form. */
export const typeAnswer = (visitor: Page, field: string, value: string): Promise<void> =>
  visitor.type(`#f-${field}`, value)

/** Replaces the answer to a question of a shared form. */
export const replaceAnswer = (visitor: Page, field: string, value: string): Promise<void> =>
  visitor.$eval(`#f-${field}`, (input, wanted) => input.setAttribute('value', wanted), value)

/** Returns the answer that a shared form shows for a field. */
export const answerOf = (visitor: Page, field: string): Promise<string | null> =>
  visitor.$eval(`#f-${field}`, (input) => input.getAttribute('value') ?? input.textContent)

/** Returns the key of the first question of a shared form. */
export const firstQuestion = (visitor: Page): Promise<string | undefined> =>
  visitor.$$eval('form [id^=f-]', ([first]) => first?.id.slice(2))

/** Whether a shared form has a question for a field. */
export const isAsked = async (visitor: Page, field: string): Promise<boolean> =>
  (await visitor.$(`[name=${field}]`)) !== null
