import type { Page } from 'puppeteer-core'
import { contentOf, untilTextIn } from '../application-server.ts'
import { untilValue } from '../waits.ts'

/* The members of a workspace, in the settings. */

const roleOf = (name: string) => `select[aria-label="Role of ${name}"]`

/** Waits for the list of members. */
export const untilMembers = (page: Page): Promise<unknown> =>
  page.waitForSelector('table[aria-label=Members]')

/** Waits until the section contains a text. */
export const untilMembersSay = (page: Page, text: string): Promise<unknown> =>
  untilTextIn(page, '#members', text)

/** Waits until the name of the new member was refused for this reason. */
export const untilMemberRefused = (page: Page, reason: string): Promise<unknown> =>
  untilTextIn(page, '#members .why', reason)

/** Chooses the role of the next member. */
export const chooseRoleOfNew = (page: Page, role: string): Promise<unknown> => page.select('#new-role', role)

/** Waits for the setup link of a member and returns it. */
export const setupLinkOf = (page: Page, name: string): Promise<string> =>
  contentOf(page, `Setup link for ${name}`)

/** Waits for any setup link. */
export const untilSetupLink = (page: Page): Promise<unknown> =>
  page.waitForSelector('.secret input, input[aria-label^="Link"]')

/** Waits for a setup link of a member other than this one and returns it. */
export async function nextSetupLinkOf(page: Page, name: string, link: string): Promise<string> {
  await page.waitForFunction(
    (selector, former) =>
      ![former, undefined].includes(document.querySelector<HTMLInputElement>(selector)?.value),
    {},
    `[aria-label="Setup link for ${name}"]`,
    link,
  )
  return setupLinkOf(page, name)
}

/** Waits until the role of a member can be chosen. */
export const untilRoleOffered = (page: Page, name: string): Promise<unknown> =>
  page.waitForSelector(roleOf(name))

/** Whether the role of a member can be chosen. */
export const isRoleOffered = async (page: Page, name: string): Promise<boolean> =>
  (await page.$(roleOf(name))) !== null

/** Changes the role of a member, and waits until the server has accepted it. */
export async function chooseRole(page: Page, name: string, role: string): Promise<void> {
  await untilRoleOffered(page, name)
  await page.select(roleOf(name), role)
  await untilValue(page, `${roleOf(name)}:enabled`, role)
}
