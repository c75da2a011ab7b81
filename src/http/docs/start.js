/* Starts the viewer of the page. It runs in the browser as it is written here. */

const { SwaggerUIBundle } = window

/** The key that a reader enters stays in this tab, and is gone when the tab is closed. */
const STORED_KEY = 'daybook-docs-key'

const keepsKey = {
  wrapActions: {
    authorize: (authorize) => (credentials) => {
      if (credentials.apiKey) sessionStorage.setItem(STORED_KEY, credentials.apiKey.value)
      return authorize(credentials)
    },
    logout: (logout) => (names) => {
      sessionStorage.removeItem(STORED_KEY)
      return logout(names)
    },
  },
}

/** One field for the key is enough: the way to give it in the query is for clients that cannot set headers. */
const withoutToken =
  (select) =>
  (...given) =>
    select(...given)?.filter((definitions) => !definitions.has('accessToken'))

const auth = {
  ...keepsKey,
  wrapSelectors: { definitionsToAuthorize: withoutToken, definitionsForRequirements: withoutToken },
}

/** An error takes one line until it is opened. */
const shortErrors = (Response, { React }) =>
  function ShortResponse(props) {
    const [isOpen, setOpen] = React.useState(false)
    if (Number(props.code) < 400) return React.createElement(Response, props)
    const button = { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) }
    const cells = [
      React.createElement('td', { key: 'status' }, React.createElement('button', button, props.code)),
      React.createElement('td', { key: 'description' }, props.response.get('description')),
    ]
    return React.createElement(
      React.Fragment,
      null,
      React.createElement('tr', { className: 'error' }, cells),
      isOpen && React.createElement(Response, props),
    )
  }

const STREAM_LIMIT_MS = 5_000
/** A block that names an event, to its end; the first block of a stream only says how long to wait before trying again. */
const WHOLE_EVENT = /^event:.*\n(?:.+\n)*\n/m

/** What a stream sends until its first event is complete. */
async function readFirstEvent(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const timer = setTimeout(() => reader.cancel(), STREAM_LIMIT_MS)
  let text = ''
  while (!WHOLE_EVENT.test(text)) {
    const { value, done } = await reader.read()
    if (done) break
    text += value
  }
  clearTimeout(timer)
  void reader.cancel()
  return text
}

/** A stream has no end, so the page shows its first event and closes it. */
async function fetchBounded(url, options) {
  const response = await fetch(url, options)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const text = await readFirstEvent(response.body)
  return new Response(`${text}: this page ended the stream here\n`, response)
}

window.viewer = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [{ statePlugins: { auth }, wrapComponents: { response: shortErrors } }],
  requestInterceptor: (request) => Object.assign(request, { userFetch: fetchBounded }),
  onComplete: () => {
    const key = sessionStorage.getItem(STORED_KEY)
    if (key) window.viewer.preauthorizeApiKey('apiKey', key)
  },
})
