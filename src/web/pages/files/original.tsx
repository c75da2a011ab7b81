import { useEffect, useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Button, ErrorText } from '../../components/form.tsx'
import { Loading } from '../../components/pane.tsx'
import { contentOf, type FileWithOutline } from '../../data/files.ts'
import { formatNumber } from '../../data/formats.ts'
import { fetchBytes } from '../../data/request.ts'
import { search } from '../../router.ts'
import { mayRunScripts } from './pdf-scripts.ts'
import { isText, MAX_CHARACTERS, textOf } from './plain-text.ts'

/** Image types that every browser shows. In an img element they run no scripts. */
const PICTURES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
])

/** Larger documents are fetched on request. */
const SMALL_BYTES = 10_000_000

/** The original file if the browser can show it, else a download link. */
export function Original({ file }: { file: FileWithOutline }) {
  return (
    <section class="section original">
      <h2>Original</h2>
      <View file={file} />
    </section>
  )
}

function View({ file }: { file: FileWithOutline }) {
  const { id, file_name, mime_type, size } = file
  const [isRequested, setRequested] = useState(size <= SMALL_BYTES)
  if (PICTURES.has(mime_type)) return <img src={contentOf(id)} alt={file_name} loading="lazy" />
  const Viewer =
    mime_type === 'application/pdf' && navigator.pdfViewerEnabled ? Pdf : isText(file) ? PlainText : undefined
  if (Viewer === undefined) return <ToDownload file={file} />
  if (isRequested) return <Viewer file={file} title={`${file_name}, the original`} />
  return <Button onClick={() => setRequested(true)}>Show the original</Button>
}

const UNSUPPORTED =
  'Browsers cannot show files of this kind. Download it and open it with a suitable program.'
const HAS_SCRIPTS =
  'This document is encrypted or contains scripts, which would run here. If you trust it, download it and open it with another program.'

const ToDownload = ({
  file: { id, file_name },
  error = UNSUPPORTED,
}: {
  file: FileWithOutline
  error?: string
}) => (
  <div class="stack">
    <p>{error}</p>
    <p class="actions">
      <a class="button" href={contentOf(id)} download={file_name}>
        Download {file_name}
      </a>
    </p>
  </div>
)

interface ViewerProps {
  readonly file: FileWithOutline
  readonly title: string
}

/** Fetches the bytes of a file; an error explains a failure. */
function useBytes(id: string) {
  const [bytes, setBytes] = useState<Blob>()
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    let isUnmounted = false
    fetchBytes(contentOf(id)).then(
      (fetched) => {
        if (!isUnmounted) setBytes(fetched)
      },
      (error: Error) => setRefusal(error.message),
    )
    return () => {
      isUnmounted = true
    }
  }, [id])
  return { bytes, refusal }
}

/** The characters of a text file, never rendered as a page, so no script in it can run. */
function PlainText({ file, title }: ViewerProps) {
  const { bytes, refusal } = useBytes(file.id)
  const [text, setText] = useState<string>()
  useEffect(() => {
    void bytes?.arrayBuffer().then((buffer) => setText(textOf(new Uint8Array(buffer))))
  }, [bytes])
  if (refusal !== undefined) return <ErrorText>{refusal}</ErrorText>
  if (text === undefined) return <Loading />
  return (
    <>
      <Code label={title} text={text.slice(0, MAX_CHARACTERS)} />
      {text.length > MAX_CHARACTERS && (
        <p>The first {formatNumber(MAX_CHARACTERS)} characters. Download the file to read the rest.</p>
      )}
    </>
  )
}

/**
 * The browser's own PDF viewer, unless the document has scripts. The blob is typed as a PDF whatever its bytes, so that
 * they are never rendered as a page.
 */
function Pdf({ file, title }: ViewerProps) {
  const { bytes, refusal } = useBytes(file.id)
  const [url, setUrl] = useState<string>()
  const [isRefused, setRefused] = useState(false)
  useEffect(() => {
    if (!bytes) return
    const objectUrl = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
    void bytes
      .arrayBuffer()
      .then((buffer) => mayRunScripts(new Uint8Array(buffer)))
      .then((isScripted) => {
        setRefused(isScripted)
        if (!isScripted) setUrl(objectUrl)
      })
    return () => URL.revokeObjectURL(objectUrl)
  }, [bytes])
  if (refusal !== undefined) return <ErrorText>{refusal}</ErrorText>
  if (isRefused) return <ToDownload file={file} error={HAS_SCRIPTS} />
  if (url === undefined) return <Loading />
  const page = search.value.get('page') ?? '1'
  return <iframe key={page} src={`${url}#page=${encodeURIComponent(page)}&navpanes=0`} title={title} />
}
