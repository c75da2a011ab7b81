import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button, Why } from '../../components/form.tsx'
import { Loading } from '../../components/pane.tsx'
import { contentOf, type FileWithOutline } from '../../data/files.ts'
import { fetchBytes } from '../../data/request.ts'
import { search } from '../../router.ts'

/** Pictures that every browser draws; as pictures they run no script. */
const PICTURES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
])

/** Larger documents are fetched when they are asked for. */
const SMALL_BYTES = 10_000_000

/** The file as it is, where a browser can show it. */
export function Original({ file }: { file: FileWithOutline }) {
  const { id, file_name, mime_type, size } = file
  const isWanted = useSignal(size <= SMALL_BYTES)
  if (PICTURES.has(mime_type))
    return (
      <section class="sec original">
        <h2>Original</h2>
        <img src={contentOf(id)} alt={file_name} loading="lazy" />
      </section>
    )
  if (mime_type !== 'application/pdf' || !navigator.pdfViewerEnabled) return null
  return (
    <section class="sec original">
      <h2>Original</h2>
      {isWanted.value ? (
        <Pdf id={id} title={`${file_name}, the original`} />
      ) : (
        <Button
          onClick={() => {
            isWanted.value = true
          }}
        >
          Show the original
        </Button>
      )}
    </section>
  )
}

/** The browser's own viewer. The bytes are shown as a PDF whatever they are, so that none are run as a page. */
function Pdf({ id, title }: { id: string; title: string }) {
  const url = useSignal<string | undefined>(undefined)
  const refusal = useSignal<string | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    fetchBytes(contentOf(id)).then(
      (bytes) => {
        if (!isGone) url.value = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
      },
      (error: Error) => {
        refusal.value = error.message
      },
    )
    return () => {
      isGone = true
      if (url.peek() !== undefined) URL.revokeObjectURL(url.peek() ?? '')
    }
  }, [id, url, refusal])
  if (refusal.value !== undefined) return <Why>{refusal.value}</Why>
  if (url.value === undefined) return <Loading />
  const page = search.value.get('page') ?? '1'
  return <iframe key={page} src={`${url.value}#page=${encodeURIComponent(page)}&navpanes=0`} title={title} />
}
