/** An answer whose JSON text is ready made. */
export const jsonResponse = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'Content-Type': 'application/json;charset=utf-8' } })
