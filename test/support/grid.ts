import type { Page } from 'puppeteer-core'
import { untilTextIn } from './application-server.ts'
import { paste } from './page-acts.ts'

type Key = Parameters<Page['keyboard']['press']>[0]

/** A cell of a loaded row; rows count from 0, columns from 1. */
export const cell = (row: number, column: number) =>
  `tr:not([aria-busy]) td[data-row="${row}"][data-column="${column}"]`

/** Focuses a cell once it is available: rows are briefly busy while they reload. */
export async function focusCell(page: Page, row: number, column: number): Promise<void> {
  const found = await page.waitForSelector(cell(row, column))
  await found?.focus()
}

/** The parts of the row grid that tests use. */
export interface GridPage {
  shows(row: number, column: number, text: string): Promise<unknown>
  has(text: string): Promise<unknown>
  hasNot(text: string): Promise<unknown>
  press(...keys: Key[]): Promise<void>
  withControl(key: Key): Promise<void>
  /** Waits until no save is in flight. */
  saved(): Promise<unknown>
  /** Pastes a text into the focused element, as from a spreadsheet. */
  paste(text: string): Promise<unknown>
}

export function gridOn(page: Page): GridPage {
  return {
    shows: (row, column, text) =>
      page.waitForFunction(
        (selector, wanted) => document.querySelector(selector)?.textContent?.trim() === wanted,
        {},
        cell(row, column),
        text,
      ),
    has: (text) => untilTextIn(page, 'main', text),
    hasNot: (text) =>
      page.waitForFunction(
        (unwanted) => document.querySelector('main')?.textContent?.includes(unwanted) === false,
        {},
        text,
      ),
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key)
    },
    withControl: async (key) => {
      await page.keyboard.down('Control')
      await page.keyboard.press(key)
      await page.keyboard.up('Control')
    },
    saved: () => page.waitForFunction(() => document.querySelector('td[aria-busy]') === null),
    paste: (text) => paste(page, { text }),
  }
}
