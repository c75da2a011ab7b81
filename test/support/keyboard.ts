import type { KeyInput, Page } from 'puppeteer-core'
import { leaveFocus } from './page-acts.ts'

export interface Keyboard {
  press(...keys: KeyInput[]): Promise<void>
  type(text: string): Promise<void>
  /** Presses keys while a modifier is held. */
  hold(modifier: 'Control' | 'Shift' | 'Alt', ...keys: KeyInput[]): Promise<void>
  /** Skips the rail through the first link of the screen, which leads to the content. */
  skip(): Promise<void>
  /** Presses Tab until the control of this name has the focus. Presses Esc first in a text editor. */
  reach(name: string | RegExp): Promise<void>
  /** Reaches a control and presses Enter. */
  enter(name: string | RegExp): Promise<void>
  /** Reaches a field and replaces its content by typing. */
  fill(name: string | RegExp, text: string): Promise<void>
}

const MAX_STEPS = 120

const TEXT = 'Text of the note'

/** Returns the accessible name of the focused element, as a screen reader announces it, without the options of a select. */
const announcedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body) return ''
    const label = (focused as Partial<HTMLInputElement>).labels?.[0]
    const named = label?.querySelector(':scope > span, :scope > legend') ?? label ?? focused
    return (focused.ariaLabel ?? named.textContent ?? '').trim()
  })

export function keyboardOn(page: Page): Keyboard {
  const { keyboard } = page
  const press = async (...keys: KeyInput[]) => {
    for (const key of keys) await keyboard.press(key)
  }
  const hold: Keyboard['hold'] = async (modifier, ...keys) => {
    await keyboard.down(modifier)
    await press(...keys)
    await keyboard.up(modifier)
  }
  const reach: Keyboard['reach'] = async (name) => {
    const seen: string[] = []
    for (let step = 0; step < MAX_STEPS; step++) {
      const focused = await announcedName(page)
      if (typeof name === 'string' ? focused === name : name.test(focused)) return
      seen.push(focused.slice(0, 30))
      // Tab indents in the text editor.
      if (focused === TEXT) await keyboard.press('Escape')
      await keyboard.press('Tab')
    }
    throw new Error(`Tab does not lead to ${name}, but to ${seen.join(' | ')}`)
  }
  return {
    press,
    hold,
    reach,
    type: (text) => keyboard.type(text),
    skip: async () => {
      await leaveFocus(page)
      await reach('Skip to content')
      await press('Enter')
    },
    enter: async (name) => {
      await reach(name)
      await press('Enter')
    },
    fill: async (name, text) => {
      await reach(name)
      await hold('Control', 'a')
      await keyboard.type(text)
    },
  }
}
