import type { Page } from 'puppeteer-core'
import { clickText } from '../page-acts.ts'

/* The menu of the account and its workspaces. */

/** Switches to another workspace without opening the menu. */
export const switchWorkspace = (page: Page, name: string): Promise<void> =>
  clickText(page, '#spaces button', name)

/** Signs out without opening the menu. */
export const signOut = (page: Page): Promise<void> => clickText(page, '#spaces button', 'Sign out')
