import { Icon } from '../../components/icon.tsx'
import { formatNumber } from '../../data/formats.ts'
import { useRowRights } from '../../data/records/row-rights.ts'
import { useStructures } from '../../data/records/structures.ts'
import { address, path } from '../../router.ts'
import { Tile } from './views/table-icon.tsx'

/** The tables with their row counts; in the rail, and on phones as a screen. */
export function StructureList() {
  const { data } = useStructures()
  const rights = useRowRights()
  const [screen, part] = path.value
  const current = screen === 'records' ? part : undefined
  return (
    <ul>
      {data?.map(({ id, name, icon, color, record_count }) => (
        <li key={id}>
          <a href={address(['records', id])} aria-current={current === id ? 'true' : undefined}>
            <Tile icon={icon} color={color} name={name} />
            <span class="cut">{name}</span>
            {/* Absent if access is limited to adding rows. */}
            {record_count !== undefined && <span class="at-end">{formatNumber(record_count)}</span>}
          </a>
        </li>
      ))}
      {rights.mayWrite && (
        <li>
          <a href={address(['records', 'new'])} aria-current={current === 'new' ? 'true' : undefined}>
            <Icon name="plus" />
            New table
          </a>
        </li>
      )}
    </ul>
  )
}
