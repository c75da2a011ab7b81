/* Sign-in with a passkey on the page of OAuth; without this script the page offers a password. */

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )

const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

async function signIn() {
  const { challenge, allowCredentials = [], ...options } = await post('/app/api/session/options')
  const { id, type, rawId, response } = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      allowCredentials: allowCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
    },
  })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const passkey = {
    id,
    type,
    rawId: textOf(rawId),
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      ...(userHandle && { userHandle: textOf(userHandle) }),
    },
  }
  await post('/app/api/session', { passkey })
  location.replace(`/oauth/authorize${location.search}`)
}

const button = document.getElementById('passkey')
const problem = document.getElementById('problem')

/** Passkeys need a host name. */
if (globalThis.PublicKeyCredential && !/^(?:\[|\d+(?:\.\d+){3}$)/.test(location.hostname)) {
  button.hidden = false
  button.parentElement.hidden = false
}

button.addEventListener('click', async () => {
  problem.hidden = true
  button.disabled = true
  try {
    await signIn()
  } catch (error) {
    const isClosed = error.name === 'NotAllowedError' || error.name === 'AbortError'
    problem.textContent = isClosed
      ? 'No passkey was used. The browser’s dialog was closed or timed out; try again.'
      : error.message
    problem.hidden = false
    button.disabled = false
  }
})
