import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { useQuery } from '../../data/use-query.ts'
import { address, path } from '../../router.ts'
import { useViews } from './list-data.ts'
import { currentList, otherListAddress } from './route.ts'

const count = (value: number | undefined) =>
  value !== undefined && <span class="at-end">{formatNumber(value)}</span>

/** Links to all notes, the views and the trash, with note counts where known. */
export function Views() {
  const views = useViews()
  const counts = useQuery(['note'], () => api.get('/v1/workspace')).data?.workspace.counts
  const list = currentList.value
  return (
    <div class="rail-sub">
      <h2>Views</h2>
      <ul>
        <li>
          <a href={otherListAddress({})} aria-current={list?.kind === 'all' ? 'true' : undefined}>
            All notes{count(counts?.notes)}
          </a>
        </li>
        {views.map(({ id, name }) => (
          <li key={id}>
            <a
              href={otherListAddress({ view: id })}
              aria-current={list?.kind === 'view' && list.id === id ? 'true' : undefined}
            >
              <span class="cut">{name}</span>
            </a>
          </li>
        ))}
        <li>
          <a
            href={otherListAddress({ list: 'trash' })}
            aria-current={list?.kind === 'trash' ? 'true' : undefined}
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
