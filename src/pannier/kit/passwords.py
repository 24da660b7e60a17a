"""Password policy, hashing and verification."""

import asyncio
import os
import secrets
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH = 8
MAX_LENGTH = 256

# Longer text is not normalised: that takes quadratic time for long runs of accents.
_MAX_INPUT_LENGTH = 4 * MAX_LENGTH
_SALT_BYTES = 16
_HASH_BYTES = 32
_MAX_THREADS = 4

# The most common leaked passwords, in lower case, of at least the minimum length.
_COMMON_TEXT = """
12345678 123456789 1234567890 12345678910 123456789a 123456789q 1234567891 12345679 123123123
1231231234 12341234 11223344 1122334455 112233445566 11112222 12121212 123321123 12344321
123454321 1234554321 12345687 123456987 147258369 147852369 159357456 159753456 159951159
741852963 789456123 7894561230 963852741 987654321 9876543210 87654321 98765432 0987654321
01234567 012345678 0123456789 10203040 1020304050 19841984 19851985 19861986 19871987 20002000
20202020 20252025 31415926 42424242 69696969 13131313 14141414 21212121 23232323 25252525 99887766
789789789 456456456 321321321 147147147 159159159 135792468 13579246 246813579 24681012 1q2w3e4r
1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 2wsx3edc 3edc4rfv q1w2e3r4 q1w2e3r4t5
q1w2e3r4t5y6 qazwsxedc qazwsxedcrfv qazwsx123 zaq12wsx zaq1zaq1 zaq1xsw2 xsw2zaq1 zxcvbnm1
zxcvbnm123 zxcvbnm, zxcvbnm. zxcvasdf asdfasdf asdf1234 asdfghjk asdfghjkl asdfghjkl1 asdfqwer
asdasdasd asd123asd qweasdzxc qweasd123 qwe123qwe qweqweqwe qwer1234 qwerasdf qwerqwer qwert123
qwert1234 qwert12345 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuio
qwertyuiop qwertyuiop1 qwerty123! azertyui azertyuiop poiuytre poiuytrewq lkjhgfdsa mnbvcxz1
a1b2c3d4 a1b2c3d4e5 a123456789 a12345678 aa123456 aa12345678 aaa11111 ab123456 abc12345 abc123456
abc123abc abc123456789 abcd1234 abcd12345 abcd123456 abcde12345 abcdef123 abcdefgh abcdefghi
1234abcd 12345abc 123456abc 123456aa 123456qwerty 12345qwert 1234qwer 123qweasd 123qweasdzxc
123qwe123 123abc123 password password0 password1 password1! password11 password12 password12!
password123 password123! password1234 password12345 password2 password3 password! password@
password@123 passw0rd passw0rd1 passw0rd! p@ssword p@ssword1 p@ssw0rd p@ssw0rd1 p@ssw0rd123
p@55w0rd pa55word pa$$word pa$$w0rd pass1234 pass12345 pass@123 pass@1234 passpass passport
mypassword newpassword mypass123 changeme changeme1 changeme123 changeit letmein1 letmein123
letmeinnow welcome1 welcome12 welcome123 welcome1! welcome@123 whatever whatever1 trustno1
iloveyou iloveyou1 iloveyou2 iloveyou! iloveyou123 ilovegod iloveme1 loveyou1 loveyou2 lovelove
lovelyme myspace1 princess princess1 sunshine sunshine1 football football1 baseball baseball1
basketball softball volleyball superman superman1 batman123 spiderman starwars starwars1 pokemon1
pokemon123 minecraft fortnite liverpool liverpool1 chelsea1 arsenal1 manchester barcelona juventus
realmadrid michael1 jennifer jennifer1 jessica1 michelle michelle1 danielle charlie1 jonathan
alexander alexandra nicholas samantha elizabeth victoria veronica stephanie christian christina
benjamin dragon12 dragon123 monkey12 monkey123 shadow12 shadow123 master12 master123 mustang1
corvette mercedes ferrari1 computer computer1 internet samsung1 samsung123 google123 facebook
facebook1 linkedin admin123 admin1234 admin12345 admin@123 administrator adminadmin root1234
rootroot test1234 test12345 test123456 testtest testing1 testing123 tester123 guest123 guest1234
default1 user1234 user12345 username temp1234 demo1234 secret123 secret12 hello123 hello1234
hello12345 hellohello blink182 creative butterfly chocolate chocolate1 cheese123 cookie123
diamond1 midnight midnight1 mountain rainbow1 sweetheart sweetpea precious1 blessed1 jesuschrist
jesus123 lucky777 security security1 summer2024 summer2025 summer2026 winter2024 winter2025
winter2026 spring2025 autumn2025 november december september password2024 password2025
password2026 india123 india@123 singapore australia 1password 123password 12345password ncc1701d
babygirl babygirl1 bullshit fuckyou1 fuckyou2 fuckyou123 asshole1 hunter12 hunter123 killer123
ginger12 maverick scorpion squirrel marlboro metallica slipknot nirvana1 greenday1 eminem123
snoopy12 garfield scooby12 tinkerbell hellokitty sakura123 woaini1314 woaini520 5201314520
aini1314 1314520520 q123456789 w123456789 z123456789 s123456789
"""
_COMMON = frozenset(_COMMON_TEXT.split())


class Passwords:
    """Hashes and verifies passwords with argon2id in a small pool of threads.

    The number of threads limits the memory that a flood of sign-ins can use. The costs are
    arguments so that tests can lower them.
    """

    def __init__(
        self, *, memory_kib: int = 19_456, passes: int = 2, lanes: int = 1, threads: int = 0
    ) -> None:
        self._hasher = PasswordHasher(
            time_cost=passes,
            memory_cost=memory_kib,
            parallelism=lanes,
            salt_len=_SALT_BYTES,
            hash_len=_HASH_BYTES,
        )
        self.unmatchable_hash = _make_unmatchable_hash(memory_kib, passes, lanes)
        # One core stays free, so that a flood of sign-ins slows down only sign-ins.
        spare_cores = max(1, (os.cpu_count() or 1) - 1)
        self._threads = ThreadPoolExecutor(
            threads or min(_MAX_THREADS, spare_cores), thread_name_prefix="passwords"
        )

    async def hash(self, password: str) -> str:
        """Return the hash to store."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._hasher.hash, _to_bytes(password))

    async def verify(self, hash: str | None, password: str) -> bool:
        """Return whether the password matches; without a hash, return False after an equal time."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._is_match, hash or self.unmatchable_hash, _to_bytes(password)
        )

    async def rehash(self, hash: str, password: str) -> str | None:
        """Rehash a correct password if its hash has outdated costs; otherwise return None."""
        return await self.hash(password) if self._hasher.check_needs_rehash(hash) else None

    def close(self) -> None:
        """Wait for running work and stop the threads."""
        self._threads.shutdown()

    def _is_match(self, hash: str, password: bytes) -> bool:
        try:
            return self._hasher.verify(hash, password)
        except (VerificationError, InvalidHashError):
            return False


def check_policy(password: str, *, context: Sequence[str] = ()) -> str:
    """Return the normalised password; raise ValueError if the policy rejects it.

    `context` holds words that an attacker would try first: the person's name, the local part of
    the email address, the store's name.
    """
    if len(password) > _MAX_INPUT_LENGTH:
        raise ValueError(f"must have at most {MAX_LENGTH} characters.")
    normalised_password = unicodedata.normalize("NFKC", password)
    if not MIN_LENGTH <= len(normalised_password) <= MAX_LENGTH:
        raise ValueError(f"must have {MIN_LENGTH} to {MAX_LENGTH} characters.")
    folded_password = normalised_password.casefold()
    if folded_password in _COMMON or len(set(folded_password)) == 1:
        raise ValueError("This password is too common. Choose another.")
    if folded_password in {_normalise_word(word) for word in context}:
        raise ValueError("must not be your name, your address or the store's name.")
    return normalised_password


def _normalise_word(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().strip()


def _to_bytes(password: str) -> bytes:
    """Encode the normalised password, so that it is the same from every keyboard."""
    if len(password) <= _MAX_INPUT_LENGTH:
        password = unicodedata.normalize("NFKC", password)
    # A client may send a lone surrogate. It then matches no password and raises no error.
    return password.encode("utf-8", "surrogatepass")


def _make_unmatchable_hash(memory_kib: int, passes: int, lanes: int) -> str:
    """Make a hash that no password matches. Verifying it costs as much as for a real one."""
    salt, digest = (
        b64encode(secrets.token_bytes(size)).decode().rstrip("=")
        for size in (_SALT_BYTES, _HASH_BYTES)
    )
    return f"$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${salt}${digest}"
