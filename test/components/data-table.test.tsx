import { describe, expect, test } from 'bun:test'
import { useState } from 'preact/hooks'
import type { Column } from '../../src/web/components/data-table.tsx'
import { usePage } from './page.ts'

const page = usePage()

const load = async () => (await import('../../src/web/components/data-table.tsx')).DataTable

interface Key {
  readonly id: string
  readonly uses: number
}

const COLUMNS: readonly Column<Key>[] = [
  { label: 'Key', corner: 'top-start', isRowHeading: true, cell: ({ id }) => id },
  { label: 'Uses', corner: 'desk', isNumber: true, cell: ({ uses }) => uses },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    cell: ({ id }) => (
      <button type="button" aria-label={`Revoke ${id}`}>
        Revoke
      </button>
    ),
  },
]

const KEYS: readonly Key[] = [
  { id: 'a', uses: 3 },
  { id: 'b', uses: 4 },
]

const idOf = ({ id }: Key) => id
const all = (kind: string) => page.body.all.filter(({ localName }) => localName === kind)
const rolesOf = (kind: string) => [...new Set(all(kind).map(({ attributes }) => attributes.get('role')))]
const rows = () => all('tr').map(({ textContent }) => textContent)

describe('DataTable', () => {
  test('has a name, headings of columns and rows, and roles that a layout as blocks keeps', async () => {
    const DataTable = await load()
    page.show(<DataTable label="Keys" columns={COLUMNS} items={KEYS} keyOf={idOf} />)
    expect(page.names('table')).toEqual(['Keys'])
    expect(all('th').map((one) => [one.textContent, one.attributes.get('scope')])).toEqual([
      ['Key', 'col'],
      ['Uses', 'col'],
      ['Actions', 'col'],
      ['a', 'row'],
      ['b', 'row'],
    ])
    expect(['table', 'thead', 'tbody', 'tr', 'th', 'td'].map(rolesOf)).toEqual([
      ['table'],
      ['rowgroup'],
      ['rowgroup'],
      ['row'],
      ['columnheader', 'rowheader'],
      ['cell'],
    ])
  })

  test('hides the heading over buttons from sight only', async () => {
    const DataTable = await load()
    page.show(<DataTable label="Keys" columns={COLUMNS} items={KEYS} keyOf={idOf} />)
    expect(page.find('span')?.attributes.get('class')).toBe('visually-hidden')
    expect(page.find('span')?.textContent).toBe('Actions')
  })

  test('gives cells the corners in which phones show them', async () => {
    const DataTable = await load()
    page.show(<DataTable label="Keys" columns={COLUMNS} items={KEYS.slice(1)} keyOf={idOf} />)
    expect(all('td').map(({ attributes }) => attributes.get('class'))).toEqual(['number desk', 'top-end'])
  })

  test('is replaced by its empty state', async () => {
    const DataTable = await load()
    page.show(
      <DataTable label="Keys" columns={COLUMNS} items={[]} keyOf={idOf} empty={<p>No keys yet.</p>} />,
    )
    expect(page.body.textContent).toBe('No keys yet.')
    expect(page.find('table')).toBeUndefined()
  })

  test('shows further rows on request, and then no button', async () => {
    const DataTable = await load()
    const items = [1, 2, 3, 4, 5].map((uses) => ({ id: `k${uses}`, uses }))
    const show = () =>
      page.show(<DataTable label="Keys" columns={COLUMNS} items={items} keyOf={idOf} pageSize={2} />)
    show()
    expect(all('tr')).toHaveLength(3)
    page.press('Show 2 more')
    show()
    page.press('Show 1 more')
    show()
    expect(all('tr')).toHaveLength(6)
    expect(page.names('button').filter((name) => name.startsWith('Show'))).toEqual([])
  })

  test('keeps state for each row, and shows its error and details below it', async () => {
    const DataTable = await load()
    const show = () =>
      page.show(
        <DataTable
          label="Keys"
          columns={[
            {
              label: 'Key',
              cell: ({ id }: Key, { open }: { open: () => void }) => (
                <button type="button" onClick={open}>{`Open ${id}`}</button>
              ),
            },
          ]}
          items={KEYS}
          keyOf={idOf}
          useRow={() => {
            const [isOpen, setOpen] = useState(false)
            return { isOpen, open: () => setOpen(true) }
          }}
          errorOf={({ id }, { isOpen }) => (isOpen ? `${id} has expired.` : undefined)}
          below={({ uses }, { isOpen }) => isOpen && `Used ${uses} times`}
        />,
      )
    show()
    expect(rows()).toEqual(['Key', 'Open a', 'Open b'])
    page.press('Open b')
    show()
    expect(rows()).toEqual(['Key', 'Open a', 'Open b', 'b has expired.', 'Used 4 times'])
    const marked = all('tr').filter(({ attributes }) => attributes.get('class') === 'trouble')
    expect(marked.map(({ textContent }) => textContent)).toEqual(['Open b'])
  })
})
