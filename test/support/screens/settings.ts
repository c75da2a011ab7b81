import type { Page } from 'puppeteer-core'
import { contentOf } from '../application-server.ts'
import { untilValue } from '../waits.ts'

/* The sections of the settings: keys, agents, sessions, access and appearance. */

/** Waits until a section is shown and its heading has the focus. */
export const untilSectionFocused = (page: Page, section: string): Promise<unknown> =>
  page.waitForSelector(`#${section}-h:focus`)

/** Chooses the scope of the next key. */
export const chooseScope = (page: Page, scope: 'read' | 'write'): Promise<void> =>
  page.locator(`input[name=scope][value=${scope}]`).click()

/** Waits for the secret of the key with this name, which is shown once, and returns it. */
export const keySecretOf = (page: Page, name: string): Promise<string> => contentOf(page, `Secret of ${name}`)

/** Waits for the list of keys. */
export const untilKeys = (page: Page): Promise<unknown> => page.waitForSelector('table[aria-label=Keys]')

/** Waits for the dialog that asks for the name of what is deleted. */
export const untilNameAsked = (page: Page): Promise<unknown> =>
  page.waitForSelector('dialog.modal input:focus')

/** Waits until no dialog is open. */
export const untilNoDialog = (page: Page): Promise<unknown> =>
  page.waitForSelector('dialog.modal', { hidden: true })

/** Waits for the choice of an agent's client. */
export const untilClients = (page: Page): Promise<unknown> => page.waitForSelector('#agent-client')

/** Waits until the configuration of a client contains a part. */
export const untilConfiguration = (page: Page, client: string, part: string): Promise<unknown> =>
  page.waitForFunction(
    (selector, text) => document.querySelector<HTMLTextAreaElement>(selector)?.value.includes(text),
    {},
    `textarea[aria-label="Configuration of ${client}"]`,
    part,
  )

/** Chooses an agent's client and returns its configuration. */
export async function configurationOf(page: Page, client: string): Promise<string> {
  await untilClients(page)
  await page.select('#agent-client', client)
  return contentOf(page, `Configuration of ${client}`)
}

/** Lists the changes that agents made with this key. */
export const listAgentChanges = (page: Page, key: string): Promise<void> =>
  page.locator(`a[aria-label="Changes by agents with ${key}"]`).click()

/** Ends the first other session in the list. */
export const endOtherSession = (page: Page): Promise<void> =>
  page.locator('button[aria-label^="End session:"]').click()

/** Returns the names of all controls of the settings. */
export const controlNames = (page: Page): Promise<string[]> =>
  page.$$eval('.setting :is(button, select, input)', (controls) =>
    controls.map((control) => control.getAttribute('aria-label') ?? control.textContent ?? ''),
  )

const accessOf = (object: string, to: string) => `[aria-label="${object} for ${to}"]`

/** Chooses in the table of access what a key or a member may do with an object, once it is listed. */
export async function chooseAccess(
  page: Page,
  { object, to, access }: { object: string; to: string; access: string },
): Promise<void> {
  await page.waitForSelector(accessOf(object, to))
  await page.select(accessOf(object, to), access)
}

/** Waits until the table of access shows this choice. */
export const untilAccess = (
  page: Page,
  { object, to, access }: { object: string; to: string; access: string },
): Promise<unknown> => untilValue(page, accessOf(object, to), access)

/** Focuses a choice in the table of access. */
export const focusAccess = (page: Page, object: string, to: string): Promise<void> =>
  page.focus(accessOf(object, to))
