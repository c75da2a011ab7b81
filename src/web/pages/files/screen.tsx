import { Empty, Pane } from '../../components/pane.tsx'
import { path } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/files.css' with { type: 'text' }
import { FileList } from './file-list.tsx'
import { FilePane } from './file-pane.tsx'

addStyles(styles)

/** The files of the workspace, and beside them the file in the address. */
export function Main() {
  const [, id] = path.value
  return (
    <main id="main" class="files-screen" data-show={id === undefined ? 'content' : 'side'}>
      <h1 class="visually-hidden">Files</h1>
      <FileList current={id} />
      <Pane kind="side" label="File">
        {id === undefined ? (
          <Empty>
            <p>Select a file to read its text beside the original.</p>
          </Empty>
        ) : (
          <FilePane key={id} id={id} />
        )}
      </Pane>
    </main>
  )
}
