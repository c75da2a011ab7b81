import { useEffect } from 'preact/hooks'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { withValueTypes } from '../../data/records/model.ts'
import { useRowRights } from '../../data/records/row-rights.ts'
import { useStructures } from '../../data/records/structures.ts'
import { address, navigate, path } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/records.css' with { type: 'text' }
import { RowsScreen } from './rows-screen.tsx'
import { StructureScreen } from './structure/screen.tsx'
import { StructureList } from './structure-list.tsx'

addStyles(styles)

/** `/records` opens the first table, `/records/new` creates one, `/records/<id>/structure` edits its fields. */
export function Main() {
  const { data, error } = useStructures()
  const [, id, part] = path.value
  const first = data?.[0]?.id
  const isWide = matchMedia('(width >= 45rem)').matches
  useEffect(() => {
    if (id === undefined && first !== undefined && isWide)
      navigate(address(['records', first]), { replace: true })
  }, [id, first, isWide])
  if (id === 'new') return <StructureScreen key="new" structure={undefined} />
  const structure = data?.find((known) => known.id === id)
  const isDeleted = id !== undefined
  const isKnown = data !== undefined
  if (!structure)
    return <NoStructure isKnown={isKnown} isDeleted={isDeleted} isEmpty={first === undefined} error={error} />
  if (part === 'structure') return <StructureScreen key={structure.id} structure={structure} />
  return <RowsScreen key={structure.id} structure={withValueTypes(structure)} />
}

interface NoStructureProps {
  readonly isKnown: boolean
  readonly isDeleted: boolean
  /** True if there are no tables. */
  readonly isEmpty: boolean
  readonly error: Error | null
}

function NoStructure({ isKnown, isDeleted, isEmpty, error }: NoStructureProps) {
  const rights = useRowRights()
  return (
    <main id="main" class="records-screen">
      <Pane kind="content">
        <header class="bar">
          <h1>Tables</h1>
        </header>
        {error ? <QueryError error={error} /> : !isKnown && <Loading />}
        {isKnown && (
          <>
            <div class="phone-list phone">
              <StructureList />
            </div>
            {(isDeleted || isEmpty) && (
              <Empty>
                <p>
                  {isDeleted
                    ? 'This table was deleted.'
                    : 'A table holds rows with the fields you define, such as orders, customers or parts.'}
                </p>
                {rights.mayWrite && (
                  <a class="button main" href={address(['records', 'new'])}>
                    New table
                  </a>
                )}
              </Empty>
            )}
          </>
        )}
      </Pane>
    </main>
  )
}
