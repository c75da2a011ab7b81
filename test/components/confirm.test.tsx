import { describe, expect, test } from 'bun:test'
import { usePage } from './page.ts'

const page = usePage()

const load = () => import('../../src/web/components/confirm.tsx')

/** Waits until Preact has rendered what changed. */
const rendered = () => new Promise((resolve) => setTimeout(resolve))

const textOf = (attribute: string): string | undefined => {
  const id = page.find('dialog')?.attributes.get(attribute)
  return page.body.all.find((one) => one.attributes.get('id') === id)?.textContent
}

describe('confirm', () => {
  test('names the action, its consequence, and whether it can be undone', async () => {
    const { confirm } = await load()
    const answer = confirm({
      title: 'Empty trash',
      consequence: 'All notes are deleted.',
      action: 'Delete all',
    })
    expect(page.find('dialog')?.isModal).toBe(true)
    expect(page.find('dialog')?.attributes.get('role')).toBe('alertdialog')
    expect(textOf('aria-labelledby')).toBe('Empty trash')
    expect(textOf('aria-describedby')).toBe('All notes are deleted. This cannot be undone.')
    expect(page.names('button')).toEqual(['Delete all', 'Cancel'])
    page.press('Cancel')
    expect(await answer).toBe(false)
    expect(page.find('dialog')).toBeUndefined()
  })

  test('says how the action is reverted', async () => {
    const { confirm } = await load()
    const answer = confirm({
      title: 'Remove URL',
      consequence: 'Its deliveries fail.',
      undo: 'You can add it again.',
      action: 'Remove URL',
    })
    expect(textOf('aria-describedby')).toBe('Its deliveries fail. You can add it again.')
    page.submit()
    expect(await answer).toBe(true)
  })

  test('focuses the button that loses nothing, or the field of the name to type', async () => {
    const { confirm } = await load()
    const question = { title: 'Delete Orders', consequence: 'All rows are deleted.', action: 'Delete table' }
    const focused = () => page.body.all.filter(({ autofocus }) => autofocus).map(({ localName }) => localName)
    const first = confirm(question)
    expect(focused()).toEqual(['button'])
    expect(page.named('Cancel').autofocus).toBe(true)
    page.press('Cancel')
    await first
    const second = confirm({ ...question, word: 'Orders' })
    expect(focused()).toEqual(['input'])
    page.press('Cancel')
    await second
  })

  test('acts only after the exact name was typed', async () => {
    const { confirm } = await load()
    let count = 0
    const answer = confirm({
      title: 'Delete Orders',
      consequence: 'All rows are deleted.',
      action: 'Delete table',
      word: 'Orders',
      act: async () => count++,
    })
    const type = async (value: string) => {
      page.fill('Type “Orders” to confirm', value)
      await rendered()
      page.submit()
      await rendered()
    }
    await type('Order')
    expect(page.find('dialog')?.textContent).toContain('Type “Orders” exactly as shown.')
    expect(count).toBe(0)
    await type('Orders')
    expect([await answer, count]).toEqual([true, 1])
  })

  test('shows why the action failed, and stays open', async () => {
    const { confirm } = await load()
    const results = [Promise.reject(new Error('An owner must stay.')), Promise.resolve()]
    const answer = confirm({
      title: 'Remove Ben',
      consequence: 'Their keys stop working.',
      action: 'Remove member',
      act: async () => results.shift(),
    })
    page.submit()
    await rendered()
    expect(page.body.all.find((one) => one.attributes.get('role') === 'alert')?.textContent).toBe(
      'An owner must stay.',
    )
    page.submit()
    expect(await answer).toBe(true)
  })

  test('closes without acting once another screen is shown', async () => {
    const { confirm } = await load()
    const { navigate } = await import('../../src/web/router.ts')
    const answer = confirm({ title: 'Delete a', consequence: 'It is deleted.', action: 'Delete' })
    navigate('/app/files')
    expect(await answer).toBe(false)
  })
})
