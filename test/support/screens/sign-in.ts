import type { ElementHandle, Page } from 'puppeteer-core'
import { fill, press, untilTextIn } from '../application-server.ts'
import { untilValue } from '../waits.ts'

/* The page to sign in, setup links, and the pages of the test's identity provider. */

const PASSWORD_FIELD = 'input[name=password]'

/** Waits until a password is asked for. */
export const untilPasswordAsked = (page: Page): Promise<unknown> => page.waitForSelector(PASSWORD_FIELD)

/** Whether a password is asked for. */
export const isPasswordAsked = async (page: Page): Promise<boolean> => (await page.$(PASSWORD_FIELD)) !== null

/** Types a password into its field, once it is asked for, and sends it. */
export async function enterPassword(page: Page, password: string): Promise<void> {
  await untilPasswordAsked(page)
  await page.type(PASSWORD_FIELD, password)
  await page.keyboard.press('Enter')
}

/** Signs in with a name and a password. */
export async function signInAs(page: Page, name: string, password: string): Promise<void> {
  await fill(page, 'Name', name)
  await fill(page, 'Password', password)
  await page.keyboard.press('Enter')
}

/** Sets the first password on the page of a setup link. */
export async function choosePassword(page: Page, password: string): Promise<void> {
  await fill(page, 'Password (at least 10 characters)', password)
  await press(page, 'Open daybook')
}

/** Waits until the name on the page of a setup link was refused for this reason. */
export const untilNameRefused = (page: Page, reason: string): Promise<unknown> =>
  untilTextIn(page, '.field:has(input[name=user]) .why', reason)

/** Waits until the application is open. */
export const untilSignedIn = (page: Page): Promise<unknown> => page.waitForSelector('.rail')

/** Waits for the dialog over the page in which a session that ended continues, and returns its password field. */
export const untilSignInDialog = (page: Page): Promise<ElementHandle<Element> | null> =>
  page.waitForSelector(`dialog:modal ${PASSWORD_FIELD}`)

/** Waits until the section of sign-in options contains a text. */
export const untilOptionsSay = (page: Page, text: string): Promise<unknown> =>
  untilTextIn(page, '#sign-in', text)

/** Waits until the section of the sessions contains a text. */
export const untilSessionsSay = (page: Page, text: string): Promise<unknown> =>
  untilTextIn(page, '#sessions', text)

/** Performs the steps of a user at the provider. */
export async function agreeAs(page: Page, name: string): Promise<void> {
  await page.waitForSelector('input[name=login]')
  await page.type('input[name=login]', name)
  await page.type(PASSWORD_FIELD, 'x')
  await page.keyboard.press('Enter')
  await untilValue(page, 'input[name=prompt]', 'consent')
  await page.focus('button[type=submit]')
  await page.keyboard.press('Enter')
}
