"""Records SQL statements in the place of a TiDB: accounts with their passwords, and every statement.

The file that SQL_RECORD names is the database. A statement that says `fails` fails, and one that says `waits` never ends.
"""

import json
import os
import re
import time

from .constants import CLIENT

# Where the client connects from.
CLIENT_HOST = "10.244.0.7"


class MySQLError(Exception):
    pass


class OperationalError(MySQLError):
    pass


class ProgrammingError(MySQLError):
    pass


def _read():
    try:
        with open(os.environ["SQL_RECORD"], encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"accounts": {"root@%": ""}, "statements": [], "logins": []}


def _write(database):
    name = os.environ["SQL_RECORD"]
    with open(name + ".new", "w", encoding="utf-8") as file:
        json.dump(database, file)
    os.rename(name + ".new", name)


def _matches(host):
    return re.fullmatch(host.replace(".", "\\.").replace("%", ".*"), CLIENT_HOST) is not None


def connect(host, port, user, passwd="", client_flag=0, connect_timeout=0, charset="", ssl=None):
    database = _read()
    if database.get("down", 0) > 0:
        database["down"] -= 1
        _write(database)
        raise OperationalError(2003, "Can't connect to MySQL server on '%s:%s' (111)" % (host, port))
    for name in (ssl or {}).values():
        with open(name, encoding="utf-8"):
            pass
    account = next((one for one in database["accounts"] if one.startswith(user + "@") and _matches(one.split("@")[1])), None)
    if account is None or database["accounts"][account] != passwd:
        raise OperationalError(1045, "Access denied for user '%s'@'%s' (using password: %s)" % (user, CLIENT_HOST, "YES" if passwd else "NO"))
    database["logins"].append({"host": host, "port": port, "usedPassword": passwd != "", "tls": sorted((ssl or {}).keys())})
    _write(database)
    return Connection(account, client_flag)


class Connection:
    def __init__(self, account, client_flag):
        self.account = account
        self.has_many = client_flag & CLIENT.MULTI_STATEMENTS != 0

    def cursor(self):
        return Cursor(self)

    def commit(self):
        pass

    def close(self):
        pass


class Cursor:
    def __init__(self, connection):
        self.connection = connection
        self.left = []

    def execute(self, query, args=None):
        text = query if args is None else query % tuple("'" + str(one).replace("'", "\\'") + "'" for one in args)
        statements = [one.strip() for one in text.split(";") if one.strip() != ""]
        if len(statements) > 1 and not self.connection.has_many:
            raise ProgrammingError(8130, "client has multi-statement capability disabled")
        self.left = statements
        self.nextset()

    def nextset(self):
        if self.left == []:
            return None
        statement = self.left.pop(0)
        self._run(statement)
        return 1

    def _run(self, statement):
        if "fails" in statement:
            raise ProgrammingError(1064, 'You have an error in your SQL syntax near "%s"' % statement)
        database = _read()
        database["statements"].append(statement)
        accounts = database["accounts"]
        account = re.search(r"user (?:if not exists )?'(.*?)'@'(.*?)' identified by '(.*)'$", statement)
        password = re.match(r"set password = '(.*)'$", statement)
        host = re.match(r"update mysql.user set Host = '(.*)' where User = 'root'$", statement)
        if password:
            accounts[self.connection.account] = password.group(1)
        elif account and statement.startswith("create user"):
            accounts.setdefault(account.group(1) + "@" + account.group(2), account.group(3))
        elif account and statement.startswith("alter user"):
            accounts[account.group(1) + "@" + account.group(2)] = account.group(3)
        elif host:
            for name in [one for one in accounts if one.startswith("root@")]:
                accounts["root@" + host.group(1)] = accounts.pop(name)
        _write(database)
        while "waits" in statement:
            time.sleep(1)

    def close(self):
        pass
