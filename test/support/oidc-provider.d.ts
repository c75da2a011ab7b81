declare module 'oidc-provider' {
  /** What the tests use of it. */
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (
      request: import('node:http').IncomingMessage,
      response: import('node:http').ServerResponse,
    ) => void
  }
}
