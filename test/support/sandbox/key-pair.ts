import ssh2 from 'ssh2';

const { utils } = ssh2;

/** A key pair in OpenSSH's form. One of three hundred that ssh2 makes is one that it cannot read: those are left out. */
export function readableKeyPair(): { readonly private: string; readonly public: string } {
  for (let tries = 0; tries < 10; tries += 1) {
    const pair = utils.generateKeyPairSync('ed25519');
    if (!(utils.parseKey(pair.private) instanceof Error)) return pair;
  }
  throw new Error('ssh2 cannot read ten key pairs that it made');
}
