import type { Page } from 'puppeteer-core'
import { focusBeside } from '../page-acts.ts'

/* The screen of the latest changes. */

/** Focuses the button that undoes the change with this text. */
export const focusUndo = (page: Page, text: string): Promise<void> =>
  focusBeside(page, { selector: '.ledger li', text, part: 'a.button' })
