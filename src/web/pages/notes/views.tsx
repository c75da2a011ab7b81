import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { useQuery } from '../../data/use-query.ts'
import { address, path } from '../../router.ts'
import { useViews } from './list-data.ts'
import { otherListAddress, shownList } from './place.ts'

const count = (value: number | undefined) =>
  value !== undefined && <span class="at-end">{formatNumber(value)}</span>

/** All notes, the views, and the trash, each with the number of its notes where that is known. */
export function Views() {
  const views = useViews()
  const counts = useQuery(['note'], () => api.get('/v1/workspace')).data?.workspace.counts
  const shown = shownList.value
  return (
    <div class="rail-sub">
      <h2>Views</h2>
      <ul>
        <li>
          <a href={otherListAddress({})} aria-current={shown?.kind === 'all' ? 'true' : undefined}>
            All notes{count(counts?.notes)}
          </a>
        </li>
        {views.map(({ id, name }) => (
          <li key={id}>
            <a
              href={otherListAddress({ view: id })}
              aria-current={shown?.kind === 'view' && shown.id === id ? 'true' : undefined}
            >
              <span class="cut">{name}</span>
            </a>
          </li>
        ))}
        <li>
          <a
            href={otherListAddress({ list: 'trash' })}
            aria-current={shown?.kind === 'trash' ? 'true' : undefined}
          >
            Trash{count(counts?.trashed_notes)}
          </a>
        </li>
        <li>
          <a href={address(['views'])} aria-current={path.value[0] === 'views' ? 'true' : undefined}>
            <Icon name="gear" />
            Views, tags, properties
          </a>
        </li>
      </ul>
    </div>
  )
}
