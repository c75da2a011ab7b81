const STREAMED = Symbol('streamed')

/** Notes that the body of a response is written while it is sent. */
export const markStreamed = (response: Response): Response => Object.assign(response, { [STREAMED]: true })

/** Whether the body of a response is written while it is sent, so that its length is not known before. */
export const isStreamed = (response: Response): boolean => STREAMED in response
