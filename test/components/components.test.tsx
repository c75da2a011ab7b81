import { describe, expect, test } from 'bun:test'
import { usePage } from './page.ts'

const page = usePage()

// The styles of components need a document when they are loaded.
const load = async () => ({
  ...(await import('../../src/web/components/conditions/condition-list.tsx')),
  ...(await import('../../src/web/components/conditions/group-editor.tsx')),
  ...(await import('../../src/web/components/check.tsx')),
  ...(await import('../../src/web/components/select.tsx')),
  ...(await import('../../src/web/pages/views/filter/tree.ts')),
  ...(await import('../../src/web/pages/webhooks/sources/when-draft.ts')),
})

describe('Select', () => {
  const SIZES = [
    ['s', 'Small'],
    ['l', 'Large'],
  ] as const

  test('offers its options, and reports the selected one', async () => {
    const { Select } = await load()
    const selected: string[] = []
    page.show(<Select aria-label="Size" value="l" options={SIZES} onChange={(size) => selected.push(size)} />)
    expect(page.names('option')).toEqual(['Small', 'Large'])
    expect(page.named('Size').value).toBe('l')
    page.select('Size', 's')
    expect(selected).toEqual(['s'])
  })

  test('keeps a value that is none of its options', async () => {
    const { Select } = await load()
    page.show(<Select aria-label="Size" value="xl" options={SIZES} onChange={() => {}} />)
    expect(page.names('option')).toEqual(['xl', 'Small', 'Large'])
  })

  test('belongs to the label above it', async () => {
    const { SelectField } = await load()
    page.show(<SelectField label="Size" value="s" options={SIZES} onChange={() => {}} />)
    const [label, select] = ['label', 'select'].map((kind) => body(kind))
    const id = select?.attributes.get('id') ?? 'no id'
    expect(label?.attributes.get('for')).toBe(id)
  })
})

const body = (kind: string) => page.body.all.find(({ localName }) => localName === kind)

describe('Check', () => {
  test('reports whether it is on', async () => {
    const { Check } = await load()
    const states: boolean[] = []
    page.show(<Check label="Arrows" checked={false} onChange={(isOn) => states.push(isOn)} />)
    const box = body('input')
    if (box) box.checked = true
    box?.handlers.get('change')?.call(box as never, { type: 'change', currentTarget: box } as never)
    expect(states).toEqual([true])
  })

  test('cannot be changed while it is disabled', async () => {
    const { Check } = await load()
    page.show(<Check label="Arrows" checked disabled onChange={() => {}} />)
    expect([body('input')?.checked, body('input')?.disabled]).toEqual([true, true])
  })
})

describe('ConditionList', () => {
  const shown = async (when: readonly Record<string, unknown>[], isReadOnly = false) => {
    const { ConditionList, WHEN_LANGUAGE, draftsOf, whenOf } = await load()
    let drafts = draftsOf(when)
    const show = () =>
      page.show(
        <ConditionList
          language={WHEN_LANGUAGE}
          drafts={drafts}
          legend="Only these events"
          isReadOnly={isReadOnly}
          onChange={(changed) => {
            drafts = changed
            show()
          }}
        />,
      )
    show()
    return () => whenOf(drafts)
  }

  test('adds a condition with the initial operator of the first field', async () => {
    const when = await shown([])
    page.press('Add condition')
    page.fill('Path of condition 1', '/status')
    page.fill('Value of condition 1', 'paid')
    expect(when()).toEqual([{ path: '/status', op: 'eq', value: 'paid' }])
  })

  test('changes the comparison and keeps the value', async () => {
    const when = await shown([{ path: '/a', op: 'eq', value: 5 }])
    page.select('Comparison of condition 1', 'in')
    expect(when()).toEqual([{ path: '/a', op: 'in', value: [5] }])
  })

  test('shows no value where the operator needs none', async () => {
    const when = await shown([{ path: '/a', op: 'eq', value: 5 }])
    page.select('Comparison of condition 1', 'exists')
    expect(page.names('input')).toEqual(['Path of condition 1'])
    expect(when()).toEqual([{ path: '/a', op: 'exists' }])
  })

  test('removes one condition and names the others anew', async () => {
    const when = await shown([
      { header: 'X-A', op: 'exists' },
      { header: 'X-B', op: 'exists' },
    ])
    page.press('Remove condition 1')
    expect(when()).toEqual([{ header: 'X-B', op: 'exists' }])
    expect(page.named('Header of condition 1').value).toBe('X-B')
  })

  test('offers no changes to members who may not write', async () => {
    await shown([{ header: 'X-A', op: 'exists' }], true)
    expect(body('fieldset')?.disabled).toBe(true)
    expect(page.names('button')).not.toContain('Add condition')
  })
})

describe('GroupEditor', () => {
  const shown = async () => {
    const { GroupEditor, noteLanguage, asGroup, asFilter } = await load()
    const language = noteLanguage({ tags: [], properties: [] })
    let group = asGroup(null)
    const show = () =>
      page.show(
        <GroupEditor
          language={language}
          group={group}
          onChange={(changed) => {
            group = changed
            show()
          }}
        />,
      )
    show()
    return () => asFilter(group)
  }

  test('matches every note until it has a condition', async () => {
    const filter = await shown()
    expect(filter()).toBeNull()
    page.press('Condition')
    expect(filter()).toMatchObject({ match: 'all', children: [{ field: 'title', op: 'contains' }] })
  })

  test('nests groups up to the fourth level', async () => {
    const filter = await shown()
    page.press('Group')
    expect(filter()).toMatchObject({ children: [{ type: 'group', match: 'any' }] })
    expect(page.names('button').filter((name) => name === 'Group')).toHaveLength(2)
    page.press('Remove group')
    expect(filter()).toBeNull()
  })
})
