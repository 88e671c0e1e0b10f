import { ConfigError } from '../config/load.ts';
import { codeOf, messageOf } from '../core/errors.ts';

/**
 * Starts to listen. Returns the URL without a path.
 *
 * @param setting the name of the port's setting.
 * @throws {ConfigError} naming the setting, if another attempt would fail too.
 * @throws {Error} naming the setting, if another attempt may succeed.
 */
export async function listenAt(
  setting: string,
  host: string,
  listen: (host: string) => Promise<string>,
): Promise<string> {
  try {
    return await listen(host);
  } catch (error) {
    const { port } = error as { readonly port?: number };
    switch (codeOf(error)) {
      case 'ENOTFOUND':
      case 'EINVAL':
        throw new ConfigError([
          `HOST: ${host} is no address of this machine; set one, or 0.0.0.0 for all`,
        ]);
      case 'EACCES':
        throw new ConfigError([
          `${setting}: this user may not listen on port ${port}; set one from 1024`,
        ]);
      // An address may come later, for example after the network has started.
      case 'EADDRNOTAVAIL':
        throw new Error(
          `HOST: ${host} is no address of this machine; set one, or 0.0.0.0 for all.`,
          {
            cause: error,
          },
        );
      case 'EADDRINUSE':
        throw new Error(
          `Port ${port} is taken by another program; set ${setting} to another one, or to 0 for any.`,
          { cause: error },
        );
      default:
        throw new Error(`Cannot listen at HOST (${host}) and ${setting}: ${messageOf(error)}`, {
          cause: error,
        });
    }
  }
}
